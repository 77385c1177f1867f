import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './engine-bed.ts';

let bed: Bed;
beforeEach(async () => {
  bed = await makeBed();
});
afterEach(() => bed.remove());

const names: [what: string, name: Uint8Array][] = [
  ['spaces', Buffer.from(' a b ')],
  ['a newline', Buffer.from('a\nb')],
  ['a tab and a carriage return', Buffer.from('a\tb\r')],
  ['emoji', Buffer.from('🙂👩‍💻')],
  ['quotes and a backslash', Buffer.from('\'"`\\')],
  ['a leading dash', Buffer.from('-rf')],
  ['a leading dot', Buffer.from('.hidden')],
  ['three dots', Buffer.from('...')],
  ['SQL', Buffer.from("x'; DROP TABLE changes; --")],
  ['percent and underscore', Buffer.from('100%_')],
  ['a colon', Buffer.from('C:file')],
  ['bytes that are not UTF-8', Buffer.from([0x66, 0xff, 0xfe, 0x80])],
  ['half of a UTF-8 character', Buffer.from([0xf0, 0x9f, 0x99])],
  ['an encoded surrogate', Buffer.from([0xed, 0xb3, 0xbf])],
  ['a byte order mark', Buffer.from('\ufeffname')],
  ['as many bytes as a name can have', Buffer.alloc(255, 'n')],
];

describe('a name', () => {
  it.each(names)(
    'with %s is written, deleted and brought back as those bytes',
    async (_what, name) => {
      const at = Buffer.concat([Buffer.from(`${bed.root}/`), name]);
      writeFileSync(at, 'before');
      const start = bed.tree();
      await bed.tool('m1', [name], () => writeFileSync(at, 'after'));
      await bed.tool('m2', [name], () => rmSync(at));
      expect((await bed.rewind('m2')).restoredFiles).toHaveLength(1);
      expect(readFileSync(at, 'utf8')).toBe('after');
      expect((await bed.rewind('m1')).restoredFiles).toHaveLength(1);
      expect(bed.tree()).toEqual(start);
    },
  );

  it.each(names)(
    'with %s goes when the agent made it, and comes back by undo',
    async (_what, name) => {
      const at = Buffer.concat([Buffer.from(`${bed.root}/`), name]);
      await bed.tool('m1', [name], () => writeFileSync(at, 'made'));
      const made = bed.tree();
      expect((await bed.rewind('m1')).deletedFiles).toHaveLength(1);
      expect(bed.tree()).toEqual({});
      await bed.savepoint.undo();
      expect(bed.tree()).toEqual(made);
    },
  );

  it('can be chosen by its bytes', async () => {
    const odd = Buffer.from([0x66, 0xff]);
    const at = Buffer.concat([Buffer.from(`${bed.root}/`), odd]);
    writeFileSync(at, 'before');
    bed.put('other', 'before');
    await bed.tool('m1', [odd, 'other'], () => {
      writeFileSync(at, 'after');
      bed.put('other', 'after');
    });
    expect((await bed.rewind('m1', { paths: [odd] })).restoredFiles).toHaveLength(1);
    expect([readFileSync(at, 'utf8'), bed.text('other')]).toEqual(['before', 'after']);
  });
});
