import type { Savepoint } from 'savepoint';
import { PathOffers } from '../../src/replica/offers/path-offers.ts';
import { atMost } from '../benchmark.ts';
import { alternate, clock, type Samples, type Side } from '../measure.ts';
import type { Ground } from './ground.ts';
import { LARGE, type Row, rounds } from './row.ts';

/** Every path has it, so that all of them are compared. */
const KEY = 'f';

/** From the `@` of a person who has just opened the agent to the files that fit the letters behind it. */
export function offersRow(files: number): Row {
  return {
    name: 'paths for `@`: the list from the last scan, and the best of it for one key',
    against: '`git ls-files`',
    bar: files >= LARGE ? atMost(2) : null,
    run: contest,
  };
}

async function contest(ground: Ground): Promise<Samples> {
  const home = ground.newHome();
  const first = await ground.open(home);
  await first.checkpoint();
  await first.close();
  const theirs = {
    time: () => ground.scratch.timeGit(ground.project, 'ls-files'),
  };
  return alternate(ofOurs(ground, home), theirs, rounds());
}

function ofOurs(ground: Ground, home: string): Side {
  let savepoint: Savepoint;
  let best: string | undefined;
  return {
    prepare: async () => {
      savepoint = await ground.open(home);
    },
    time: () =>
      clock(async () => {
        const list = () => savepoint.worktreePaths();
        const offers = new PathOffers({ list, onChange: () => undefined });
        await offers.load();
        best = offers.complete(`@${KEY}`)[0]?.text;
      }),
    verify: async () => {
      await savepoint.close();
      if (best === undefined) throw new Error('nothing was offered');
    },
  };
}
