import { join } from 'node:path';
import { describe, it } from 'vitest';
import { hostileBed } from './hostile-bed.ts';
import {
  ABSENT,
  expectRefused,
  FOLDER,
  fileState,
  type Tamper,
  withLine,
} from './tampered-plan.ts';

const bed = hostileBed();

const at = (path: unknown) => () => path;
const outside = (name: string) => () => join(bed().outside, name);
const PROTECTED = { kind: 'unknown', reason: 'protected' };
const passwd = fileState('root:x:0:0\n', 0o640);
const hook = fileState('#!/bin/sh\n', 0o755);
const config = fileState('[core]\n');
const precious = fileState('precious\n');
/** Changes that did happen, only not to the path of the line. */
const ofOthers = { takes: [2, 3, 4] };
const deletion = { action: 'delete', target: ABSENT, merged: undefined };
const making = { action: 'mkdir', target: FOLDER, merged: undefined };

const leaving: [what: string, code: string, tamper: Tamper][] = [
  ['a path that goes up', 'path-escapes-root', withLine(at('../outside/dir/new'))],
  ['a path that goes down and up', 'path-escapes-root', withLine(at('dir/../../outside/passwd'))],
  ['a path that goes up to git', 'path-escapes-root', withLine(at('dir/../.git/hooks/x'))],
  ['a path that goes up and stays', 'path-escapes-root', withLine(at('dir/../new'))],
  ['an absolute path with a way up', 'path-escapes-root', withLine(() => `${bed().outside}/../x`)],
  ['an absolute path that no tool named', 'argument-invalid', withLine(outside('new'))],
  ['an absolute path, with changes of others', 'plan-stale', withLine(outside('new'), ofOthers)],
  [
    'a file outside, replaced',
    'argument-invalid',
    withLine(outside('passwd'), { expected: passwd }),
  ],
  [
    'a file outside, replaced, with changes of others',
    'plan-stale',
    withLine(outside('passwd'), { expected: passwd, ...ofOthers }),
  ],
  [
    'a file outside, deleted',
    'plan-stale',
    withLine(outside('passwd'), { expected: passwd, ...deletion, ...ofOthers }),
  ],
  ['a folder outside', 'argument-invalid', withLine(outside('dir/new'), making)],
  ['an absolute path with slashes', 'path-invalid', withLine(() => `/${bed().outside}//new`)],
  ['an absolute path to a project file', 'path-invalid', withLine(() => bed().at('mine'))],
  ['the project, absolute', 'path-invalid', withLine(() => bed().root)],
];

const broken: [what: string, code: string, tamper: Tamper][] = [
  ['a NUL', 'path-invalid', withLine(at('a\0b'))],
  ['nothing for a path', 'path-invalid', withLine(at(''))],
  ['the project for a path', 'path-invalid', withLine(at('.'))],
  ['a path with an empty part', 'path-invalid', withLine(at('dir//new'))],
  ['a path with a trailing slash', 'path-invalid', withLine(at('dir/'))],
  ['a path with a dot', 'path-invalid', withLine(at('./file'))],
  ['a path with a lone high surrogate', 'path-invalid', withLine(at('a\ud83d'))],
  ['a path of bytes that are text after all', 'path-invalid', withLine(at('\udcc3\udca9'))],
  ['a path that is too long', 'path-invalid', withLine(at('a/'.repeat(5000)))],
  ['a path that is a number', 'argument-invalid', withLine(at(5))],
  ['a path that is an object', 'argument-invalid', withLine(at({ length: 3 }))],
  ['no path', 'argument-invalid', withLine(at(undefined))],
];

const forbidden: [what: string, tamper: Tamper][] = [
  ["git's hook", withLine(at('.git/hooks/post-checkout'))],
  ["git's hook, with changes of others", withLine(at('.git/hooks/x'), ofOthers)],
  ["git's hook, replaced", withLine(at('.git/hooks/pre-commit'), { expected: hook })],
  ["git's hook, said to be protected", withLine(at('.git/hooks/x'), { expected: PROTECTED })],
  ["git's config, deleted", withLine(at('.git/config'), { ...deletion, expected: config })],
  ["git's config, settled", withLine(at('.git/config'), { action: 'keep', merged: undefined })],
  ['git itself', withLine(at('.git'))],
  ['git in other letters', withLine(at('.GIT/hooks/x'))],
  ['git with ignored characters', withLine(at('.g\u200cit/hooks/x'))],
  ['git with a trailing dot', withLine(at('.git./hooks/x'))],
  ['git further down', withLine(at('dir/.git/hooks/x'))],
  ['a folder in git', withLine(at('.git/new'), making)],
  ['git outside', withLine(outside('.git/hooks/x'))],
  ["Savepoint's own store", withLine(() => join(bed().home, 'projects/new'))],
  ["Savepoint's own folder", withLine(() => bed().home)],
];

const untouched: [what: string, code: string, tamper: Tamper][] = [
  ['replaced', 'argument-invalid', withLine(at('mine'), { expected: precious })],
  [
    'replaced, with changes of others',
    'plan-stale',
    withLine(at('mine'), { expected: precious, ...ofOthers }),
  ],
  ['deleted', 'argument-invalid', withLine(at('mine'), { expected: precious, ...deletion })],
  ['new', 'argument-invalid', withLine(at('new'))],
  ['a new folder that nothing needs', 'argument-invalid', withLine(at('new'), making)],
];

describe('a plan with', () => {
  it.each(leaving)('%s is refused as %s', (_what, code, tamper) =>
    expectRefused(bed(), tamper, code),
  );
  it.each(broken)('%s is refused as %s', (_what, code, tamper) =>
    expectRefused(bed(), tamper, code),
  );
  it.each(forbidden)('%s is refused', (_what, tamper) =>
    expectRefused(bed(), tamper, 'path-protected'),
  );
});

describe('a plan for a file that no agent touched', () => {
  it.each(untouched)('(%s) is refused as %s', (_what, code, tamper) =>
    expectRefused(bed(), tamper, code),
  );
});
