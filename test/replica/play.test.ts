import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inAgentProject } from './agent-project.ts';

it('plays the demonstration where no terminal is attached, and leaves nothing behind', () =>
  inAgentProject({}, null, async (project) => {
    const { code, out, err } = await project.chat(['--demo']);
    expect(err).toBe('No credentials were found, so the demonstration model answers.\n');
    expect(code).toBe(0);
    // In this order, each after the other.
    let at = 0;
    for (const line of STORY) {
      const found = out.indexOf(`${line}\n`, at);
      expect(found, `${line}\n--- is not in what follows\n${out.slice(at)}`).not.toBe(-1);
      at = found + line.length;
    }
    expect(readdirSync(project.temporary)).toEqual([]);
    expect(readdirSync(join(project.scratch, 'user'))).toEqual([]);
    expect(readdirSync(project.root)).toEqual([]);
    expect(readdirSync(project.scratch).sort()).toEqual(['project', 'tmp', 'user']);
  }));

const STORY = [
  '> write notes.txt: remember the milk',
  'Wrote `notes.txt`.',
  "> run: sed -i 's/lamp/roof/' todo.txt && rm README.md && mv notes.txt lost.txt",
  '    README.md: (not there)',
  '    lost.txt: remember the milk',
  '  2  write notes.txt: remember the milk',
  "✓ Restored to checkpoint: run: sed -i 's/lamp/roof/' todo.txt && rm README.md && mv notes.txt lost.txt",
  '    notes.txt: remember the milk',
  '    lost.txt: (not there)',
  '> /undo',
  '    README.md: (not there)',
  '> /redo',
  '    lost.txt: (not there)',
];
