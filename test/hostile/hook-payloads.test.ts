import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_NAMES, type AgentName, DROP_REASONS } from '../../src/agents/agent-adapter.ts';
import { runHook } from '../../src/agents/hook.ts';
import { ERROR_CODES } from '../../src/index.ts';
import { HookBed } from '../e2e/hook-bed.ts';
import { treeOf } from '../e2e/tree-of.ts';

const FIXTURES = new URL('../../src/agents/', import.meta.url).pathname;

/** Values that no agent sends, for each field of a payload in turn. */
const HOSTILE: readonly unknown[] = [
  null,
  -1,
  1e308,
  true,
  [],
  {},
  ['a', null],
  '',
  'a\0b',
  '\ud800',
  '../../outside/secret.txt',
  '/etc/passwd',
  '/proc/self/environ',
  '/dev/zero',
  '-rf /',
  '$(touch pwned)',
  '\u001b]0;title\u0007\u202e',
  '__proto__',
  'x'.repeat(200_000),
  { toString: 1, length: 1e9 },
];

const TEXTS: readonly string[] = [
  '',
  ' ',
  '{',
  'null',
  '[]',
  '"text"',
  '0',
  '\ufeff{}',
  '{"session_id":"a","session_id":',
  '['.repeat(100_000),
  `{"a":${'{"a":'.repeat(50_000)}`,
  '{"__proto__":{"session_id":"a","hook_event_name":"Stop"}}',
  '{"constructor":{"prototype":{}}}',
  '\u0000',
  'x'.repeat(1_000_000),
];

let bed: HookBed;
let outside: string;

beforeAll(async () => {
  bed = new HookBed('claude-code');
  outside = join(bed.base, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  bed.put('a.txt', 'one\n');
  await bed.scan();
});

afterAll(() => bed.done());

/** Runs a hook, and gives the line that it left in the log. */
async function logged(agent: AgentName, text: string): Promise<string> {
  const before = bed.log().length;
  await runHook(bed.call(text, { agent }));
  const lines = bed.log().slice(before);
  expect(lines.length).toBeGreaterThan(0);
  for (const { outcome, reason } of lines) {
    if (outcome === 'dropped' || outcome === 'failed') expect(REASONS).toContain(reason);
  }
  return lines.map(({ outcome }) => outcome).join(' ');
}

const REASONS: readonly string[] = [
  ...DROP_REASONS,
  ...Object.keys(ERROR_CODES),
  'not-json',
  'oversized',
];

describe('300 hostile payloads', () => {
  it('touch nothing, stop nobody, and leave a line in the log', async () => {
    const project = treeOf(bed.root);
    const payloads = AGENT_NAMES.flatMap((agent) => [
      ...TEXTS.map((text) => ({ agent, text })),
      ...spoiled(agent).map((text) => ({ agent, text })),
    ]);
    expect(payloads.length).toBeGreaterThanOrEqual(300);
    const outcomes = new Set<string>();
    for (const { agent, text } of payloads) outcomes.add(await logged(agent, text));
    // Some are sound enough to reach the engine.
    expect(outcomes).toContain('recorded');
    expect(outcomes).toContain('dropped');
    expect(treeOf(bed.root)).toEqual(project);
    expect(readdirSync(bed.base).sort()).toEqual(['outside', 'project', 'stores']);
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect(readdirSync(bed.home).filter((name) => name.includes('..'))).toEqual([]);
  });
});

/** Real payloads of an agent with one field replaced: each kind of event, and each field of it, in turn. */
function spoiled(agent: AgentName): string[] {
  const [file = ''] = readdirSync(join(FIXTURES, agent, 'fixtures'));
  const lines = readFileSync(join(FIXTURES, agent, 'fixtures', file), 'utf8')
    .trim()
    .split('\n');
  const payloads = lines.map((line) => moved(agent, line));
  return Array.from({ length: 20 }, (_, at) => {
    const payload = payloads[(at * 7) % payloads.length] as object;
    const places = placesIn(payload);
    const place = places[(at * 3) % places.length] ?? [];
    return JSON.stringify(replaced(payload, place, HOSTILE[at % HOSTILE.length]));
  });
}

/** A recorded line as its hook gets it, for the project of this test. */
function moved(agent: AgentName, line: string): unknown {
  const value = JSON.parse(line.replaceAll('/home/dev/project', bed.root));
  if (agent === 'cline') return value.payload;
  return agent === 'pi' ? { ...value, session: { id: 'pi' }, cwd: bed.root } : value;
}

function placesIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  return Object.entries(value).flatMap(([key, inner]) =>
    placesIn(inner).map((place) => [key, ...place]),
  );
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = (value as Record<string, unknown>)[key];
  return Object.assign(copy, { [key]: replaced(inner, rest, by) });
}
