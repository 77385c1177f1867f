import { writeFileSync } from 'node:fs';
import { documentWith, pathOf, RECORDED } from './recorded-sessions.ts';

for (const recorded of RECORDED) {
  writeFileSync(pathOf(recorded), documentWith(recorded, await recorded.record()));
}
