import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryValue } from '../../../test/property/arbitrary-value.ts';
import { propertyRuns } from '../../../test/property/runs.ts';
import type { PartId } from '../../model/ids.ts';
import { sameValue } from '../../testing/same-value.ts';
import { assemble } from './assemble.ts';
import { DocumentPacker } from './document-packer.ts';
import { type Part, partId } from './part.ts';

/** Keeps parts as a store does, and counts what is new. */
class Kept {
  readonly parts = new Map<PartId, Part>();
  readonly packer: DocumentPacker = new DocumentPacker();
  bytes = 0;

  save(value: unknown, packer: DocumentPacker = this.packer): PartId {
    const { root, parts } = packer.pack(value, 'state');
    for (const part of [...parts, root]) {
      for (const child of part.children) expect(this.parts.has(child)).toBe(true);
      if (!this.parts.has(part.id)) this.bytes += part.data.length + 40 * part.children.length;
      this.parts.set(part.id, part);
    }
    return root.id;
  }

  load(root: PartId): unknown {
    return assemble(root, this.parts.values());
  }

  /** Bytes that saving this adds. */
  growth(value: unknown): number {
    const before = this.bytes;
    this.save(value);
    return this.bytes - before;
  }
}

function text(length: number, seed = 1): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = Math.imul(state, 1103515245) + 12345;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  }).join('');
}

function messages(count: number, length: number): { role: string; content: string }[] {
  return Array.from({ length: count }, (_, at) => ({
    role: 'user',
    content: text(length, at + 1),
  }));
}

describe('a document in parts', () => {
  it('is the same value when it is put together', () => {
    const big = fc.array(arbitraryValue(), { minLength: 30, maxLength: 200 });
    fc.assert(
      fc.property(big, arbitraryValue(), fc.nat(), (list, extra, at) => {
        const kept = new Kept();
        const state = { list, at, long: text(20_000), bytes: Buffer.from(text(40_000)) };
        const first = kept.save(state);
        const changed = [
          ...list.slice(0, at % list.length),
          extra,
          ...list.slice(at % list.length),
        ];
        const second = kept.save({ ...state, list: changed, extra });
        expect(sameValue(kept.load(first), state)).toBe(true);
        expect(sameValue(kept.load(second), { ...state, list: changed, extra })).toBe(true);
      }),
      propertyRuns(0.1),
    );
  });

  it('is divided in the same way by whoever divides it', () => {
    const state = {
      messages: messages(200, 300),
      names: Object.fromEntries(messages(500, 9).map((m, at) => [m.content + at, at])),
    };
    const kept = new Kept();
    kept.save({ messages: state.messages.slice(0, 150) });
    const root = kept.save(state);
    expect(new Kept().save(state)).toBe(root);
    expect(kept.save(state, new DocumentPacker())).toBe(root);
    expect(kept.load(root)).toEqual(state);
  });

  it('grows with what changed: appending, inserting, editing', () => {
    const kept = new Kept();
    const state = { messages: messages(1_000, 200) as unknown[], text: text(500_000), step: 0 };
    kept.save(state);
    expect(kept.growth({ ...state, step: 1 })).toBeLessThan(4_000);
    expect(kept.growth({ ...state, messages: [...state.messages, 'new'] })).toBeLessThan(8_000);
    expect(
      kept.growth({ ...state, messages: state.messages.toSpliced(400, 0, 'new') }),
    ).toBeLessThan(12_000);
    const edited = `${state.text.slice(0, 250_000)}edit${state.text.slice(250_010)}`;
    expect(kept.growth({ ...state, text: edited })).toBeLessThan(40_000);
    const keys = Object.fromEntries(messages(2_000, 12).map((m, at) => [m.content, at]));
    kept.save(keys);
    expect(kept.growth({ ...keys, more: true })).toBeLessThan(10_000);
  });

  it('sees what was changed in place', () => {
    const kept = new Kept();
    const state = { list: messages(300, 100), when: new Date(0), bytes: new Uint8Array(5_000) };
    const first = kept.save(state);
    const before = structuredClone(state);
    const entry = state.list[7] as { content: string };
    entry.content = 'changed';
    state.when.setTime(5);
    state.bytes[4_000] = 9;
    const second = kept.save(state);
    expect(sameValue(kept.load(second), state)).toBe(true);
    expect(sameValue(kept.load(first), before)).toBe(true);
  });

  it('hands everything out again when it is told to forget', () => {
    const packer = new DocumentPacker();
    const state = { messages: messages(100, 200) };
    const all = packer.pack(state, 'state');
    expect(packer.pack(state, 'state').parts).toEqual([]);
    packer.forget();
    expect(packer.pack(state, 'state')).toEqual(all);
  });

  it('divides what is large after what was small, as if nothing had been before', () => {
    const packer = new DocumentPacker();
    const large = { bytes: new Uint8Array(70_000_000), $key: 'a "$text" of its own' };
    for (const value of [{ n: 1 }, { n: 2 }, large, { n: 3 }, { $n: 4 }, { n: '"$n' }]) {
      const { root, parts } = packer.pack(value, 'state');
      const fresh = new DocumentPacker().pack(value, 'state');
      expect(root).toEqual(fresh.root);
      expect(parts.length).toBe(fresh.parts.length);
    }
  });

  it('makes the same parts of a list whatever it was before', () => {
    const kept = new Kept();
    let list: unknown[] = messages(40, 700);
    const other = messages(200, 700).slice(100);
    const edits: ((at: number) => unknown[])[] = [
      (at) => list.with(at % list.length, other[at % 100]),
      (at) => list.with(at % list.length, { short: at }),
      (at) => [...list, other[at % 100]],
      (at) => list.toSpliced(at % list.length, 1),
      (at) => list.toSpliced(at % list.length, 0, other[at % 100], 'text'),
      () => list.filter((item) => typeof item === 'object' && !('short' in (item as object))),
      () => (list.length < 100 ? messages(12, 700) : list.slice(0, -3)),
    ];
    for (let round = 0; round < 300; round += 1) {
      list = edits[round % edits.length]?.(round * 7) ?? list;
      if (list.length < 8) list = messages(40, 700);
      // From here on, a list of several runs.
      if (round === 150) list = messages(400, 300);
      const state = { round, list };
      const fresh = new DocumentPacker().pack(state, 'state');
      const root = kept.save(state);
      expect(root).toBe(fresh.root.id);
      expect(kept.load(root)).toEqual(state);
    }
  });

  it('has names that tell what is in it', () => {
    const bytes = 'a';
    const id = partId('json', [], bytes);
    const others = [
      partId('tagged', [], bytes),
      partId('json', [id], bytes),
      partId('json', [], 'b'),
    ];
    expect(new Set([id, ...others]).size).toBe(4);
  });
});

it('brings back what is nested deeply, or refuses it before it is stored', () => {
  const nest: readonly ((inner: unknown) => unknown)[] = [
    (inner) => [inner],
    (inner) => ({ inner }),
    (inner) => new Map([['inner', inner]]),
    (inner) => new Map([[inner, 1]]),
    (inner) => new Set([inner]),
    (inner) => new Error('outer', { cause: inner }),
  ];
  for (const around of nest) {
    for (const depth of [300, 990, 10_000]) {
      let value: unknown = 1;
      for (let level = 0; level < depth; level += 1) value = around(value);
      let root: PartId | null = null;
      const kept = new Kept();
      try {
        root = kept.save(value);
      } catch (error) {
        expect([error, depth > 300]).toMatchObject([{ code: 'value-unsupported' }, true]);
      }
      if (root !== null) kept.load(root);
    }
  }
});

it('refuses to put together what is not whole', () => {
  const packer = new DocumentPacker();
  const { root: first, parts: below } = packer.pack({ list: messages(100, 200) }, 'state');
  const [root, parts] = [first.id, [...below, first]];
  const invalid = expect.objectContaining({ code: 'value-invalid' });
  expect(() => assemble(root, parts.slice(1))).toThrow(invalid);
  const cut = parts.map((part) => ({ ...part, children: part.children.slice(1) }));
  expect(() => assemble(root, cut)).toThrow(invalid);
  expect(() => assemble(root, [{ id: root, kind: 'json', children: [], data: '{' }])).toThrow(
    invalid,
  );
});
