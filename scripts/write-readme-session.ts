import { writeFileSync } from 'node:fs';
import { README, readmeWith } from './readme-session.ts';
import { recordSession } from './record-session.ts';

writeFileSync(README, readmeWith(await recordSession()));
