import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ProcessOwner } from '../model/owner.ts';
import { currentOwner, ownerMayRun, processMayRun, processOwner } from './process-owner.ts';

const MODULE = new URL('process-owner.ts', import.meta.url).href;

it('knows that this process runs', () => {
  expect(processMayRun(currentOwner())).toBe(true);
  expect(processOwner(process.pid)).toEqual(currentOwner());
});

it.skipIf(process.platform !== 'linux')(
  'knows that a killed process is over, though its parent never asks for its end',
  async () => {
    const script = `
      import(${JSON.stringify(MODULE)}).then(({ currentOwner }) => {
        console.log(JSON.stringify(currentOwner()));
        setInterval(() => undefined, 1000);
      });`;
    // The shell becomes a program that waits for no child.
    const shell = spawn(
      '/bin/sh',
      ['-c', '"$0" --no-warnings -e "$1" & exec sleep 600', process.execPath, script],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: process.env.PATH },
      },
    );
    try {
      const [line] = (await once(shell.stdout, 'data')) as [Buffer];
      const owner = JSON.parse(line.toString()) as ProcessOwner;
      const pid = owner.processId;
      expect(processMayRun(owner)).toBe(true);
      expect(processOwner(pid)).toEqual(owner);
      process.kill(pid, 'SIGKILL');
      const isZombie = (): boolean => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
      while (!isZombie()) await new Promise((resolve) => setImmediate(resolve));
      expect(processMayRun(owner)).toBe(false);
    } finally {
      shell.kill('SIGKILL');
      await once(shell, 'close');
    }
  },
);

it('counts on another machine for a day, because nobody can look there', () => {
  const owner = { ...currentOwner(), host: 'a-container-that-is-gone' };
  const began = { since: 1_790_000_000_000 };
  const hour = 60 * 60 * 1000;
  expect(ownerMayRun(owner, { ...began, now: began.since + hour })).toBe(true);
  expect(ownerMayRun(owner, { ...began, now: began.since + 25 * hour })).toBe(false);
});
