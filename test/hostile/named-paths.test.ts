import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NamedPath } from '../../src/index.ts';
import { hostileBed, refusalOf } from './hostile-bed.ts';

const bed = hostileBed();

function capture(path: NamedPath): Promise<unknown> {
  return bed().savepoint.captureBefore({ sessionId: 's', messageId: 'm', paths: [path] });
}

describe('a tool that names', () => {
  const refused: [what: string, path: () => NamedPath, code: string][] = [
    ['the project itself', () => bed().root, 'path-invalid'],
    ['the project itself, as a dot', () => '.', 'path-invalid'],
    ['the project itself, by going round', () => '../project', 'path-invalid'],
    ['the folder above the project', () => '..', 'path-invalid'],
    ['a folder far above the project', () => '../..', 'path-invalid'],
    ['the root of the file system', () => '/', 'path-invalid'],
    ['the root, by going up for long', () => '../'.repeat(40), 'path-invalid'],
    ['a way up from a folder that is not there', () => 'no/../../outside/x', 'path-escapes-root'],
    ['a NUL', () => 'a\0b', 'path-invalid'],
    ['nothing', () => '', 'path-invalid'],
    ['broken Unicode', () => 'a\udc80', 'path-invalid'],
    ['a path without end', () => 'a/'.repeat(1_000_000), 'path-invalid'],
    ['a name without end', () => 'n'.repeat(300), 'path-invalid'],
    ['a NUL in bytes', () => Buffer.from('a\0b'), 'path-invalid'],
  ];
  it.each(refused)(
    '%s gets a typed refusal, and nothing is recorded',
    async (_what, path, code) => {
      expect((await refusalOf(() => capture(path()))).code).toBe(code);
      expect(await bed().savepoint.stats()).toMatchObject({
        sessions: 0,
        checkpoints: 0,
        blobs: 0,
      });
    },
  );

  const outside: [what: string, path: () => NamedPath][] = [
    ['an absolute path', () => join(bed().outside, 'passwd')],
    ['a way up', () => '../outside/passwd'],
    ['a way down and up', () => '.git/../../outside/passwd'],
    ['a link to it', () => linked('link', join(bed().outside, 'passwd'))],
    ['a relative link to it', () => linked('link', '../outside/passwd')],
    ['a link to a link to it', () => linked('link', '../outside/link')],
    ['a folder that is a link', () => `${linked('folder', bed().outside)}/passwd`],
    ['a folder that is a link, and a way up', () => `${linked('f', '../outside/dir')}/../passwd`],
    ['slashes and dots', () => `${bed().outside}//./passwd`],
    ['bytes', () => Buffer.from('../outside/passwd')],
  ];
  it.each(outside)('a file outside by %s has it listed, and not restored', async (_what, path) => {
    const named = path();
    const before = readFileSync(join(bed().outside, 'passwd'));
    await bed().savepoint.captureAfter((await capture(named)) as never);
    const paths = (await bed().savepoint.changes({})).map((change) => change.path);
    expect(paths).toContain(join(bed().outside, 'passwd'));
    const plan = await bed().savepoint.planRewind({ to: 'latest', onConflict: 'restore' });
    const line = plan.lines.find(({ path }) => path === join(bed().outside, 'passwd'));
    expect(line).toMatchObject({ action: 'skip', reason: 'outside-project' });
    await bed().savepoint.apply(plan);
    expect(readFileSync(join(bed().outside, 'passwd')).equals(before)).toBe(true);
  });

  const git: [what: string, path: () => NamedPath][] = [
    ['its name', () => '.git/hooks/pre-commit'],
    ['a link', () => `${linked('repository', '.git')}/hooks/pre-commit`],
    ['a way round', () => '.git/hooks/../hooks/pre-commit'],
    ['another repository', () => join(bed().outside, '.git/config')],
  ];
  it.each(git)("git's files by %s has nothing of them kept", async (_what, path) => {
    await capture(path());
    const changes = await bed().savepoint.changes({});
    expect(changes).toMatchObject([{ before: { kind: 'unknown', reason: 'protected' } }]);
    expect((await bed().savepoint.stats()).blobs).toBe(0);
  });

  const links: [what: string, target: () => string][] = [
    ['itself', () => 'link'],
    ['the project', () => '.'],
    ['the folder above', () => '..'],
    ['the root', () => '/'],
    ['a name that is too long', () => 'x'.repeat(300)],
    ['a way up from nowhere', () => 'nowhere/../../x'],
    ['control characters', () => '\u001b[2J\u0007'],
  ];
  it.each(links)('a link to %s has the link itself recorded', async (_what, target) => {
    linked('link', target());
    await capture('link');
    const changes = await bed().savepoint.changes({});
    expect(changes[0]).toMatchObject({ path: 'link', before: { type: 'symlink' } });
    rmSync(bed().at('link'));
    await bed().savepoint.rewind({ to: 'latest' });
    expect(bed().tree().link).toBe(`link to ${Buffer.from(target()).toString('latin1')}`);
  });

  it('a circle of links has each of them recorded once', async () => {
    linked('a', 'b');
    linked('b', 'c');
    linked('c', 'a');
    await capture('a');
    const paths = (await bed().savepoint.changes({})).map((change) => change.path);
    expect(paths).toEqual(['a', 'b', 'c']);
  });

  function linked(path: string, target: string): string {
    symlinkSync(target, bed().at(path));
    return path;
  }
});
