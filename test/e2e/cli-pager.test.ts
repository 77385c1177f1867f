import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProject, MAIN, PATH } from './cli-project.ts';
import { Terminal } from './terminal.ts';

describe('a list that is longer than the screen', () => {
  const project = new CliProject();

  beforeAll(() =>
    project.open(async (savepoint) => {
      for (let i = 1; i <= 40; i += 1) await savepoint.checkpoint({ label: `number ${i}` });
    }),
  );
  afterAll(() => project.remove());

  const at = async (
    args: readonly string[],
    env: Record<string, string>,
    visit: (terminal: Terminal) => Promise<void>,
  ): Promise<{ code: number; raw: string }> => {
    const place = { cwd: project.root, env: project.env({ NO_COLOR: '1', ...env }) };
    const terminal = new Terminal([MAIN, ...args], place);
    try {
      await visit(terminal);
      return { code: await terminal.exit(), raw: terminal.raw };
    } finally {
      await terminal.close();
    }
  };
  const nobody = async (): Promise<void> => undefined;

  it('is read page by page, and leaving early is no failure', async () => {
    const { code, raw } = await at(['list'], {}, async (terminal) => {
      await terminal.until((screen) => screen.endsWith(':'));
      expect(terminal.screen()).toContain('number 40');
      expect(terminal.screen()).not.toContain('number 5');
      terminal.type(' ');
      await terminal.until('number 2');
      terminal.type('q');
    });
    expect(code).toBe(0);
    expect(raw).toContain('hint: look closer with');
  });

  it('is never shown by a program of the project, wherever PATH points', async () => {
    project.write('bin/less', '#!/bin/sh\necho of the project\n');
    chmodSync(project.path('bin/less'), 0o755);
    const env = { PATH: `${project.path('bin')}:${PATH}` };
    const { raw } = await at(['list'], env, async (terminal) => {
      await terminal.until((screen) => screen.endsWith(':') || screen.includes('of the project'));
      terminal.type('q');
    });
    expect(raw).not.toContain('of the project');
  });

  it('survives Ctrl-C, which is for the pager', async () => {
    const { code } = await at(['list'], {}, async (terminal) => {
      await terminal.until((screen) => screen.endsWith(':'));
      terminal.type('\x03');
      terminal.type('G');
      await terminal.until('number 1');
      terminal.type('q');
    });
    expect(code).toBe(0);
  });

  it('goes through the pager that the person chose, as a shell reads it', async () => {
    const { code, raw } = await at(['list'], { PAGER: "sed 's/^/> /'" }, nobody);
    expect(code).toBe(0);
    expect(raw).toContain('> by hand');
  });

  it.each([
    ['--no-pager', ['list', '--no-pager'], { PAGER: 'false' }],
    ['PAGER=cat', ['list'], { PAGER: 'cat' }],
    ['an empty PAGER', ['list'], { PAGER: '' }],
    ['a pager that is not there', ['list'], { PAGER: '/no/such/pager' }],
    ['a list that fits', ['list', '--limit', '5'], { PAGER: 'false' }],
  ])('is printed at once with %s', async (_what, args, env) => {
    const { code, raw } = await at(args, env, nobody);
    expect(code).toBe(0);
    expect(raw).toContain('number 40');
    expect(raw).toContain('number 36');
  });

  it('is never paged in a script, whatever a project says', async () => {
    writeFileSync(join(project.root, 'savepoint.config.json'), '{"pager":"touch paged"}');
    const { out } = await project.run(['list'], { env: { PAGER: 'false' } });
    expect(out).toContain('number 1');
    expect(project.read('paged')).toBeNull();
  });
});
