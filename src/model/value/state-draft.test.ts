import { types } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryValue } from '../../../test/property/arbitrary-value.ts';
import { propertyRuns } from '../../../test/property/runs.ts';
import { sameValue } from '../../testing/same-value.ts';
import { type Snapshot, snapshotOf, treeToValue } from './from-tree.ts';
import { StateDraft } from './state-draft.ts';
import { valueToTree } from './to-tree.ts';

function snapshot(value: unknown): Snapshot {
  return snapshotOf(valueToTree(value));
}

function draftOf(from: Snapshot, refuseChange: () => void = () => undefined): StateDraft {
  return new StateDraft(from, { name: 'state', refuseChange, isProxy: types.isProxy });
}

type Fields = Record<string, unknown>;

const SHOWN = { enumerable: true, configurable: true, writable: true };

/** Changes a list or an object in one of many ways, chosen by numbers: the same ones for the same value. */
function edit(
  root: Fields,
  [where, what, more]: readonly [number, number, number],
  value: unknown,
) {
  const found = reached(root, where);
  const other = reached(root, more);
  if (Array.isArray(found)) {
    const ways = [
      () => found.push(value),
      () => found.shift(),
      () => found.splice(more % (found.length + 1), 1, value, 'text'),
      () => found.reverse(),
      () => found.unshift(value),
      () => (found.length = Math.floor(found.length / 2)),
      () => (found[found.length + 2] = value),
      () => delete found[more % (found.length + 1)],
      () => found.push(other),
      () => (found[more % (found.length + 1)] = -0),
    ];
    return ways[what % ways.length]?.();
  }
  const key = Object.keys(found)[more % (Object.keys(found).length + 1)] ?? 'fresh';
  const ways = [
    () => (found[key] = value),
    () => delete found[key],
    () => (found.$key = [value]),
    () => (found[key] = { ...found }),
    () => (found[key] = other),
    () => Object.defineProperty(found, 'made', { value, ...SHOWN }),
    () => (found.list = [found[key], value]),
  ];
  return ways[what % ways.length]?.();
}

/** A list or a plain object somewhere below. */
function reached(root: Fields, where: number): Fields {
  let at = root;
  for (let left = where; left > 0; left = Math.floor(left / 3)) {
    const below = Object.values(at).filter(isContainer);
    const next = below[left % (below.length + 1)];
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

function isContainer(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

describe('a draft', () => {
  it('becomes what the same changes make of a copy, and changes nothing of what it was made from', () => {
    const edits = fc.array(
      fc.tuple(fc.tuple(fc.nat(10_000), fc.nat(1_000), fc.nat(1_000)), arbitraryValue()),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(arbitraryValue(), fc.array(edits, { maxLength: 4 }), (value, rounds) => {
        let now = snapshot({
          value,
          list: [{ a: 1 }, { b: [{ c: 2 }] }, 'text'],
          fields: { a: {} },
        });
        for (const round of rounds) {
          const before = treeToValue(now.tree);
          const copy = treeToValue(now.tree) as Fields;
          const draft = draftOf(now);
          for (const [how, fresh] of round) {
            edit(copy, how, treeToValue(valueToTree(fresh)));
            edit(draft.value as Fields, how, treeToValue(valueToTree(fresh)));
          }
          const after = draft.snapshot();
          expect(sameValue(after.value, copy)).toBe(true);
          expect(sameValue(treeToValue(after.tree), after.value)).toBe(true);
          expect(sameValue(now.value, before)).toBe(true);
          now = after;
        }
      }),
      propertyRuns(1),
    );
  });

  it('shares with the value that it was made from all that nobody changed', () => {
    const messages = Array.from({ length: 50 }, (_, at) => ({ at, parts: [{ text: `${at}` }] }));
    const before = snapshot({ messages, other: { when: new Date(1) } });
    const draft = draftOf(before);
    const state = draft.value as { messages: { at: number; parts: unknown[] }[] };
    state.messages.push({ at: 50, parts: [] });
    (state.messages[7] as { at: number }).at = -1;
    const after = draft.snapshot();
    for (const kind of ['tree', 'value'] as const) {
      const [was, is] = [before[kind], after[kind]] as (typeof state & { other: object })[];
      for (const at of [0, 6, 8, 49]) expect(is?.messages[at]).toBe(was?.messages[at]);
      expect(is?.messages[7]?.parts).toBe(was?.messages[7]?.parts);
      expect(is?.other).toBe(was?.other);
      expect(is?.messages.length).toBe(51);
    }
    expect(draftOf(after).snapshot().tree).toBe(after.tree);
  });

  it('looks at nothing that nobody touched', () => {
    const closed = new Proxy(
      {},
      Object.fromEntries(
        ['get', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'has'].map((trap) => [
          trap,
          () => expect.fail('somebody looked into it'),
        ]),
      ),
    );
    const items = Array.from({ length: 100 }, () => closed);
    const [tree, value] = [
      { messages: items, other: closed },
      { messages: items, other: closed },
    ];
    const draft = draftOf({ tree, value, hasReferences: false });
    (draft.value as { messages: unknown[] }).messages.push({ text: 'new' });
    const { messages } = draft.snapshot().value as { messages: unknown[] };
    expect([messages.length, messages[100]]).toEqual([101, { text: 'new' }]);
  });

  it('keeps a Map, a Date or bytes that were changed in place, and leaves the earlier ones', () => {
    const before = snapshot({
      map: new Map([['a', 1]]),
      when: new Date(1),
      bytes: Buffer.from('a'),
    });
    const draft = draftOf(before);
    const state = draft.value as { map: Map<string, number>; when: Date; bytes: Buffer };
    state.map.set('b', 2);
    state.when.setTime(5);
    state.bytes[0] = 98;
    expect(state.map).toBe(state.map);
    const after = {
      map: new Map([
        ['a', 1],
        ['b', 2],
      ]),
      when: new Date(5),
      bytes: Buffer.from('b'),
    };
    expect(sameValue(draft.snapshot().value, after)).toBe(true);
    expect(before.value).toMatchObject({ when: new Date(1) });
  });

  it('keeps it that an entry of a Map and another place are one and the same object', () => {
    const draft = draftOf(snapshot({ map: new Map([['a', { n: 1 }]]), list: [1, 2] }));
    const state = draft.value as { map: Map<string, object>; alias?: object };
    state.alias = state.map.get('a') as object;
    const after = draft.snapshot();
    const { map, alias } = after.value as typeof state;
    expect(alias).toBe(map.get('a'));
    const again = draftOf(after).value as typeof state;
    expect(again.alias).toBe(again.map.get('a'));
  });

  it('refuses to become what is nested too deeply, step by step', () => {
    let deep: unknown = 0;
    for (let level = 0; level < 950; level += 1) deep = { inner: deep };
    let now = snapshot(deep);
    const nest = (): void => {
      for (let level = 0; level < 100; level += 1) {
        const draft = draftOf(now);
        const state = draft.value as { inner: unknown };
        state.inner = { inner: state.inner };
        now = draft.snapshot();
      }
    };
    expect(nest).toThrow(expect.objectContaining({ code: 'value-unsupported' }));
  });

  it('can be frozen by its owner, and refuses changes when it is told to', () => {
    const draft = draftOf(snapshot({ list: [{ a: 1 }] }));
    Object.freeze(draft.value);
    const { list } = draft.value as { list: { a: number }[] };
    list.push({ a: 2 });
    expect(draft.snapshot().value).toEqual({ list: [{ a: 1 }, { a: 2 }] });
    const over = draftOf(snapshot({ list: [1] }), () => {
      throw new Error('over');
    });
    const late = over.value as { list?: number[] };
    expect(() => late.list?.push(2)).toThrow('over');
    expect(() => delete late.list).toThrow('over');
    expect(late.list).toEqual([1]);
  });
});

describe('a snapshot', () => {
  it('is frozen to its last list and object, cycles included', () => {
    const cycle: Fields = { list: [{ a: 1 }] };
    cycle.self = cycle;
    for (const value of [{ list: [{ a: {} }] }, cycle]) {
      const made = snapshot(value).value as { list: object[] };
      expect([made, made.list, made.list[0]].every((one) => Object.isFrozen(one))).toBe(true);
    }
  });
});
