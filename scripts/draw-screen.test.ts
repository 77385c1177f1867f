import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pictureOf, recordScreens, SCREENS, type ScreenName } from './recorded-screens.ts';

it('shows in docs/pictures what a terminal really shows; `npm run record` draws it', async () => {
  const drawn = await recordScreens();
  for (const name of Object.keys(SCREENS) as ScreenName[]) {
    expect(readFileSync(pictureOf(name), 'utf8'), name).toBe(drawn[name]);
  }
});
