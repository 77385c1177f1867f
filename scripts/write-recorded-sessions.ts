import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pictureOf, recordScreens, SCREENS, type ScreenName } from './recorded-screens.ts';
import { documentWith, pathOf, RECORDED } from './recorded-sessions.ts';

// `npm run record -- screens` draws the pictures alone.
if (process.argv[2] !== 'screens') {
  for (const recorded of RECORDED) {
    writeFileSync(pathOf(recorded), documentWith(recorded, await recorded.record()));
  }
}

const pictures = await recordScreens();
for (const name of Object.keys(SCREENS) as ScreenName[]) {
  mkdirSync(dirname(pictureOf(name)), { recursive: true });
  writeFileSync(pictureOf(name), pictures[name]);
}
