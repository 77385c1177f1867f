import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TaskOutputs } from './task-outputs.ts';

it('tells what a command has printed, and more when there is more, until it ends', async () => {
  const TMPDIR = mkdtempSync(join(tmpdir(), 'task-outputs-'));
  const tasks = join(TMPDIR, `claude-${process.getuid?.() ?? 0}`, '-project', 'session', 'tasks');
  mkdirSync(tasks, { recursive: true });
  const file = join(tasks, 'b1.output');
  writeFileSync(file, `${'x'.repeat(20_000)}end`);
  const told: string[] = [];
  const outputs = new TaskOutputs((callId, text) => void told.push(`${callId} ${text.slice(-4)}`));
  try {
    outputs.begins({ callId: 'c1', taskId: 'b1', sessionId: 'session' }, { TMPDIR });
    expect(told).toEqual(['c1 xend']);
    appendFileSync(file, '\nmore');
    await expect.poll(() => told).toEqual(['c1 xend', 'c1 more']);
    // A file that is gone holds nobody up.
    rmSync(file);
    outputs.ends('c1');
    for (const taskId of ['b2', '../b1']) {
      outputs.begins({ callId: 'c2', taskId, sessionId: 'session' }, { TMPDIR });
    }
    outputs.begins({ callId: 'c2', taskId: 'b1', sessionId: 'x' }, { TMPDIR: '/nowhere' });
    expect(told).toHaveLength(2);
  } finally {
    outputs.endAll();
    rmSync(TMPDIR, { recursive: true });
  }
});
