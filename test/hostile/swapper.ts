import { renameSync, symlinkSync, unlinkSync } from 'node:fs';

// A process that swaps a folder for a link and back, as fast as it can, until it is told to end:
// node swapper.ts FOLDER ASIDE TARGET
const [folder = '', aside = '', target = ''] = process.argv.slice(2);
const LINK_NS = 15_000;
const FOLDER_NS = 120_000;
// Nobody should need it for so long; should our parent be gone, this ends us.
const END = process.hrtime.bigint() + 300_000_000_000n;

let swaps = 0;
process.on('SIGTERM', () => {
  process.stdout.write(`${swaps}\n`);
  process.exit(0);
});

function turn(): void {
  for (let times = 0; times < 200; times += 1) {
    renameSync(folder, aside);
    insist(() => symlinkSync(target, folder));
    spin(LINK_NS);
    unlinkSync(folder);
    insist(() => renameSync(aside, folder));
    spin(FOLDER_NS);
    swaps += 1;
  }
  // A turn ends with the folder in its place: signals are heard here.
  if (process.hrtime.bigint() < END) setImmediate(turn);
}

/** For a moment nothing stands there, and a restore may make the folder again: out of the way. */
function insist(act: () => void): void {
  for (;;) {
    try {
      act();
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST' && code !== 'ENOTEMPTY') throw error;
      renameSync(folder, `${aside}-${swaps}`);
    }
  }
}

/** Waits for a random time around `nanoseconds`, without sleeping: sleeps are far longer. */
function spin(nanoseconds: number): void {
  const until = process.hrtime.bigint() + BigInt(Math.floor(2 * Math.random() * nanoseconds));
  while (process.hrtime.bigint() < until);
}

process.stdout.write('ready\n');
turn();
