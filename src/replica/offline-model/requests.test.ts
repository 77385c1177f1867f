import { describe, expect, it } from 'vitest';
import { type PlainRequest, plainRequests } from './requests.ts';

describe('what the demonstration model is asked', () => {
  it.each<[string, PlainRequest[]]>([
    ['write notes.txt: hello', [{ kind: 'write', file: 'notes.txt', text: 'hello' }]],
    ['Please create "my notes.txt": a: b', [{ kind: 'write', file: 'my notes.txt', text: 'a: b' }]],
    ['write my notes.txt: x', [{ kind: 'write', file: 'my notes.txt', text: 'x' }]],
    ['write a.txt:x', [{ kind: 'write', file: 'a.txt', text: 'x' }]],
    ['write C:\\a.txt: x', [{ kind: 'write', file: 'C:\\a.txt', text: 'x' }]],
    ['write a.txt:', [{ kind: 'write', file: 'a.txt', text: '' }]],
    ['write 笔记.txt：你好 👩‍👩‍👧', [{ kind: 'write', file: '笔记.txt', text: '你好 👩‍👩‍👧' }]],
    ['write a: one\\n\\ttwo \\\\n', [{ kind: 'write', file: 'a', text: 'one\n\ttwo \\n' }]],
    ["append 'it''s': more", [{ kind: 'append', file: "it''s", text: 'more' }]],
    ['replace a with b in c.txt', [{ kind: 'replace', file: 'c.txt', from: 'a', to: 'b' }]],
    [
      'replace "with b" with "" in my file.txt',
      [{ kind: 'replace', file: 'my file.txt', from: 'with b', to: '' }],
    ],
    [
      'replace a with b in c in d.txt',
      [{ kind: 'replace', file: 'd.txt', from: 'a', to: 'b in c' }],
    ],
    ["run: sed -i 's/a/b/' x", [{ kind: 'run', command: "sed -i 's/a/b/' x" }]],
    ['delete old file.txt', [{ kind: 'delete', file: 'old file.txt' }]],
    ['read `a.txt`', [{ kind: 'read', file: 'a.txt' }]],
    ['todo: one, two、三', [{ kind: 'todo', items: ['one', 'two', '三'] }]],
    ['What is love?', [{ kind: 'unknown', text: 'What is love?' }]],
    ['', []],
  ])('in %j', (prompt, requests) => {
    expect(plainRequests(prompt)).toEqual(requests);
  });

  it('stands on lines of its own, or is joined by then', () => {
    const prompt = 'write a: 1\n\nappend a: 2, then run: ls and then delete a\r\nread b';
    expect(plainRequests(prompt).map(({ kind }) => kind)).toEqual([
      'write',
      'append',
      'run',
      'delete',
      'read',
    ]);
  });

  it('keeps the word then in a text', () => {
    expect(plainRequests('write a: now and then it rains, then writers write')).toEqual([
      { kind: 'write', file: 'a', text: 'now and then it rains, then writers write' },
    ]);
  });

  it('goes on with a text on the next lines', () => {
    expect(
      plainRequests('write poem.txt:\nroses are red\n\n  violets are blue\n\nrun: ls'),
    ).toEqual([
      { kind: 'write', file: 'poem.txt', text: 'roses are red\n\n  violets are blue' },
      { kind: 'run', command: 'ls' },
    ]);
  });
});
