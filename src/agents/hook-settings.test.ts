import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { SETTINGS_SAMPLES } from '../../test/setup/agent-settings.ts';
import { ALL_SETTINGS } from './agent-settings.ts';
import {
  type HookEvents,
  ourCommandIn,
  ourHooks,
  withHooks,
  withoutHooks,
} from './hook-settings.ts';
import type { Appended } from './settings-text.ts';

const TABLE = ALL_SETTINGS['claude-code'].hooks as HookEvents;
const COMMAND = 'savepoint hook claude-code';
// A byte order mark is not part of the text.
const SAMPLES = SETTINGS_SAMPLES.map((sample) => {
  return { ...sample, text: sample.text.replace('\ufeff', '') };
});

function added(text: string): Appended {
  return withHooks(text, 'claude-code', TABLE, COMMAND, () => false);
}

function valueIn(text: string): Record<string, unknown> {
  return (parse(text, [], { allowTrailingComma: true }) ?? {}) as Record<string, unknown>;
}

describe.each(SAMPLES)('settings with $name', ({ text, hasBlankContainer }) => {
  it('get one hook for each event, after those of others', () => {
    const before = valueIn(text);
    const after = valueIn(added(text).text);
    expect({ ...after, hooks: null }).toEqual({ ...before, hooks: null });
    const theirs = (before.hooks ?? {}) as Record<string, unknown[]>;
    const ours = { hooks: [{ type: 'command', command: COMMAND, timeout: 30 }] };
    const expected = Object.fromEntries(
      [...new Set([...Object.keys(theirs), ...TABLE.events])].map((event) => {
        const groups = theirs[event] ?? [];
        return [event, TABLE.events.includes(event) ? [...groups, ours] : groups];
      }),
    );
    expect(after.hooks).toEqual(expected);
  });

  it('keep every character that was there, in its order', () => {
    const { text: after } = added(text);
    let at = 0;
    for (const sign of text) {
      at = after.indexOf(sign, at) + 1;
      expect(at).toBeGreaterThan(0);
    }
    const lines = text.split('\n').map((line) => line.trim().replace(/,$/, ''));
    for (const line of lines.filter(
      (one) => /^(\/\/|"|\/\*)/.test(one) && !/\{\}|\[\]/.test(one),
    )) {
      expect(after.replaceAll(',', '')).toContain(line.replaceAll(',', ''));
    }
  });

  it('stay as they are the second time', () => {
    const once = added(text).text;
    expect(added(once).text).toBe(once);
  });

  it('are what they were when the hooks are out', () => {
    const { text: after, made } = added(text);
    const back = withoutHooks(after, 'claude-code', made);
    expect(ourHooks(back, 'claude-code')).toEqual([]);
    if (text.trim() === '') expect(back.trim()).toBe('{}');
    else if (hasBlankContainer) expect(back.replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
    else expect(back).toBe(text);
  });
});

it('takes the hooks out of settings that were edited around them', () => {
  const { text, made } = added('{\n  "model": "opus"\n}\n');
  const edited = text
    .replace('"model": "opus"', '"model": "sonnet", // cheaper\n  "env": {}')
    .replace(
      '"Stop": [',
      '"Stop": [\n      { "hooks": [{ "type": "command", "command": "mine" }] },',
    );
  const back = withoutHooks(edited, 'claude-code', made);
  expect(back).toBe(
    '{\n  "model": "sonnet", // cheaper\n  "env": {},\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "mine" }] }\n    ]\n  }\n}\n',
  );
});

it('takes its hook out of a group that somebody else uses too', () => {
  const ours = `{ "type": "command", "command": "${COMMAND}" }`;
  const theirs = '{ "type": "command", "command": "mine" }';
  const text = `{ "hooks": { "Stop": [{ "matcher": "*", "hooks": [${ours}, ${theirs}] }] } }`;
  expect(withoutHooks(text, 'claude-code', null)).toBe(
    `{ "hooks": { "Stop": [{ "matcher": "*", "hooks": [ ${theirs}] }] } }`.replace('[ {', '[ {'),
  );
});

it('leaves empty containers that it did not make', () => {
  const text = '{\n  "hooks": {\n    "Stop": []\n  }\n}\n';
  const { text: after, made } = added(text);
  expect(withoutHooks(after, 'claude-code', made)).toBe(text);
  expect(withoutHooks(after, 'claude-code', null)).toBe('{}\n');
});

it('replaces doubled hooks, and those whose program is gone', () => {
  const once = added('{}\n').text;
  const old = once.replaceAll(COMMAND, '/gone/savepoint.cjs hook claude-code');
  const isOutdated = (command: string): boolean => command.startsWith('/gone');
  expect(withHooks(old, 'claude-code', TABLE, COMMAND, isOutdated).text).toBe(once);
  const twice = old
    .replaceAll('/gone/savepoint.cjs', 'savepoint')
    .replace(
      '"Stop": [',
      `"Stop": [\n      { "hooks": [{ "type": "command", "command": "${COMMAND}" }] },`,
    );
  expect(added(twice).text).toBe(once);
});

const WRAPPERS = [
  `my-backup.sh && ${COMMAND}`,
  `my-backup.sh;/usr/bin/${COMMAND}`,
  `my-backup.sh&&/usr/bin/${COMMAND}`,
  `timeout 20 ${COMMAND}`,
  `VAR=x ${COMMAND}`,
  `${COMMAND} || true`,
  `${COMMAND} > log`,
  `sh -c "${COMMAND}"`,
  `"$(my-backup.sh)/savepoint" hook claude-code`,
];

describe.each(WRAPPERS)('a command of somebody that runs the hook: %s', (command) => {
  const wrapper = { hooks: [{ type: 'command', command }] };
  const text = `${JSON.stringify({ hooks: { Stop: [wrapper] } }, null, 2)}\n`;
  const isOutdated = (): boolean => true;

  it('counts as the hook of its event, and stays also where hooks are outdated', () => {
    const { text: after } = withHooks(text, 'claude-code', TABLE, COMMAND, isOutdated);
    const hooks = valueIn(after).hooks as Record<string, unknown[]>;
    expect(Object.keys(hooks).sort()).toEqual([...TABLE.events].sort());
    expect(hooks.Stop).toEqual([wrapper]);
    expect(hooks.PreToolUse).toHaveLength(1);
  });

  it('stays where the hooks are taken out, and where ours is there beside it', () => {
    const { text: after, made } = added(text);
    expect(withoutHooks(after, 'claude-code', made)).toBe(text);
    expect(withoutHooks(text, 'claude-code', null)).toBe(text);
    const ours = { hooks: [{ type: 'command', command: COMMAND }] };
    const both = JSON.stringify({ hooks: { Stop: [ours, wrapper] } });
    const once = valueIn(added(both).text).hooks as Record<string, unknown[]>;
    expect(once.Stop).toEqual([wrapper]);
  });
});

it('knows its own program under a path with any signs', () => {
  for (const program of ["'/it'\\''s a/savepoint.cjs'", "'/a;b/savepoint'", '"/a b/savepoint"']) {
    const text = JSON.stringify({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: `${program} hook claude-code` }] }] },
    });
    expect(ourHooks(text, 'claude-code')).toMatchObject([{ event: 'Stop', isWrapped: false }]);
    expect(withoutHooks(text, 'claude-code', null)).toBe('{}');
  }
});

const A = '{ "hooks": [{ "command": "a" }] }';
const B = '{ "hooks": [{ "command": "b" }] }';
const OURS = `{ "hooks": [{ "command": "${COMMAND}" }] }`;

it.each([
  ['an item in the same line', `${A}, // note\n    ${OURS}, ${B}\n  `, [A, B]],
  ['the end of the list', `${A}, // note\n    ${OURS} `, [A]],
  ['a list of its own', `// note\n    ${OURS} `, []],
  ['a comma in the next line', `${A}, // note\n    ${OURS}\n, ${B}`, [A, B]],
  ['another comment', `${A}, // note\r\n    ${OURS}, /* b */ ${B}`, [A, B]],
  ['a comment in a comment', `${A}, /* // */ // a /* b\n    ${OURS}, ${B}`, [A, B]],
])('leaves %s outside of the comment before a hook that it takes out', (_name, list, others) => {
  const text = `{ "hooks": { "Stop": [ ${list}] } }`;
  const back = withoutHooks(text, 'claude-code', []);
  expect(valueIn(back)).toEqual({ hooks: { Stop: others.map((one) => JSON.parse(one)) } });
  expect(back.match(/\/\/ note|a \/\* b/g)).toHaveLength(1);
});

it.each([
  ['not JSON', '{ "model": }'],
  ['half a file', '{\n  "model": "opus"'],
  ['a list', '[]'],
  ['hooks that are a list', '{ "hooks": [] }'],
  ['an event that is an object', '{ "hooks": { "Stop": {} } }'],
  ['hooks twice', '{ "hooks": {}, "hooks": {} }'],
])('refuses %s', (_name, text) => {
  expect(() => added(text)).toThrow(expect.objectContaining({ name: 'UnusableSettings' }));
});

it('refuses an edit that would change anything else', () => {
  // No hooks of any agent: they only look like some.
  const alike = `[{ "command": "${COMMAND}" }, { "command": "mine" }]`;
  const text = `{ "hooks": [{ "a": 1, "b": { "hooks": ${alike} } }] }`;
  expect(() => withoutHooks(text, 'claude-code', null)).toThrow('cannot be edited safely');
});

it('knows its own command, and not that of others', () => {
  for (const command of [
    'savepoint hook claude-code',
    '/usr/lib/node_modules/savepoint/bin/savepoint.cjs hook claude-code',
    "'/home/a b/savepoint.cjs' hook claude-code",
    '"/home/a b/savepoint" hook claude-code',
  ]) {
    expect(ourCommandIn(command, 'claude-code')).toBe(command);
  }
  for (const command of [
    'savepoint hook claude-code-2',
    'savepoint hook codex',
    'my-savepoint hook claude-code',
    'savepoint list',
  ]) {
    expect(ourCommandIn(command, 'claude-code')).toBeNull();
  }
});
