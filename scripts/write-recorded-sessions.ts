import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pictureOf, recordScreens, SCREENS, type ScreenName } from './recorded-screens.ts';
import { documentWith, ON_TWO_MACHINES, pathOf, RECORDED } from './recorded-sessions.ts';

// `npm run record -- screens` draws the pictures of the terminal alone, `npm run record -- page` those of the page.
const [, , part = 'all'] = process.argv;

if (part === 'all') {
  for (const recorded of [...RECORDED, ON_TWO_MACHINES]) {
    writeFileSync(pathOf(recorded), documentWith(recorded, await recorded.record()));
  }
}

if (part !== 'page') {
  const pictures = await recordScreens();
  for (const name of Object.keys(SCREENS) as ScreenName[]) {
    mkdirSync(dirname(pictureOf(name)), { recursive: true });
    writeFileSync(pictureOf(name), pictures[name]);
  }
}

if (part === 'page') await (await import('./recorded-page.ts')).recordPage();
