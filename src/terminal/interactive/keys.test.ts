import { expect, it } from 'vitest';
import { type Key, KeyDecoder } from './keys.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const names = (keys: readonly Key[]): string[] =>
  keys.map((key) => (key.name === 'text' ? `"${key.text}"` : key.name));
const decode = (text: string): string[] => names(new KeyDecoder().push(bytes(text)));

it.each([
  ['\x1b[A\x1bOB\x1b[1;5C\x1b[D', ['up', 'down', 'word-right', 'left']],
  [
    '\x1b[5~\x1b[6~\x1b[H\x1b[4~\x1b[1~\x1bOF',
    ['page-up', 'page-down', 'home', 'end', 'home', 'end'],
  ],
  ['\r\n\x1bOM\t\x1b[Z', ['enter', 'enter', 'enter', 'tab', 'back-tab']],
  ['\x7f\x08\x17\x15', ['backspace', 'backspace', 'cut-blank-word', 'cut-line-left']],
  ['\x0e\x10\x03\x1a\x0c', ['down', 'up', 'interrupt', 'suspend', 'redraw']],
  ['\x04\x0f\x1b[3~', ['end-of-input', 'unfold', 'delete']],
  ['\x1b\r', ['enter']],
  ['fix\x1b[Athe 测试', ['"fix"', 'up', '"the 测试"']],
])('knows the keys of %j', (text, keys) => {
  expect(decode(text)).toEqual(keys);
});

it.each([
  // The same key as xterm, kitty and those that put an Escape before it tell it.
  ['\x1b[1;5D\x1b[1;3D\x1bOd\x1bb\x1b[98;3u\x1b\x1b[D', 'word-left', 6],
  ['\x1b[1;5C\x1b[1;3C\x1bOc\x1bf\x1b[102;3u\x1bF', 'word-right', 6],
  ['\x01\x1b[97;5u\x1b[27;5;97~\x1b[97;69u', 'line-start', 4],
  ['\x1b\x7f\x1b\x08\x1b[127;3u\x1b[127;5u\x1b[27;3;127~', 'cut-word-left', 5],
  ['\x1bd\x1b[3;5~\x1b[3;3~\x1b[100;3u', 'cut-word-right', 4],
  ['\x15\x1b[117;5u', 'cut-line-left', 2],
  ['\x0b\x1b[107;5u', 'cut-line-right', 2],
  ['\x19\x1b[121;5u', 'yank', 2],
  ['\x1by\x1b[121;3u', 'yank-older', 2],
  ['\x1f\x1b[95;5u\x1b[45;6u\x1b[27;6;95~\x18\x15', 'undo', 5],
  ['\x12\x1b[114;5u', 'search', 2],
  ['\x07\x18\x05\x1b[120;5u\x1b[101;5u', 'open-editor', 3],
  ['\x1b[Z\x1b[9;2u\x1b[27;2;9~', 'back-tab', 3],
  ['\x1b[27u\x1b[27;1:1u', 'escape', 2],
  ['\x03\x1b[99;5u', 'interrupt', 2],
  ['\x1a\x1b[122;5u', 'suspend', 2],
  ['\x1b[13u\x1b[57414u\x1b[13;5u', 'enter', 3],
  ['\x1b[?0u\x1b[?1u', 'tells-keys', 2],
])('takes each of %j for %s', (text, name, times) => {
  expect(decode(text)).toEqual(Array.from({ length: times }, () => name));
});

it('takes characters that come as numbers for text, and a key that is let go for nothing', () => {
  expect(decode('\x1b[97u\x1b[97;2u\x1b[27;2;65~\x1b[20320u\x1b[97;1:3u')).toEqual([
    '"a"',
    '"A"',
    '"A"',
    '"你"',
  ]);
  expect(decode('\x1b[57441;2u\x1b[55296u\x1b[99999999u')).toEqual([]);
});

it('takes a key after Ctrl-X that means nothing there for itself', () => {
  expect(decode('\x18\x03\x18x\x18\x18\x05')).toEqual(['interrupt', '"x"', 'line-end']);
});

it.each([
  ['a mouse, a focus event, an unknown key', '\x1b[<0;3;4M\x1b[M\x1b[I\x1b[99~'],
  ['a key with Alt', '\x1bx\x1b测'],
  ['an answer of the terminal', '\x1b]11;rgb:0/0/0\x07\x1bP1+r\x1b\\\x1b[?62;c'],
  ['other control characters', '\x00\x13\x1c'],
])('makes nothing of %s', (_what, text) => {
  expect(decode(text)).toEqual([]);
  expect(decode(`${text}y`).at(-1)).toBe('"y"');
});

it('puts sequences and letters together that come in pieces', () => {
  const text = 'é\x1b[1;2B测\x1b[200~two\nlines\x1b[201~\x1b[5~🙂';
  const decoder = new KeyDecoder();
  const keys = [...bytes(text)].flatMap((byte) => decoder.push(Uint8Array.of(byte)));
  expect(names(keys)).toEqual(['"é"', 'down', '"测"', '"two lines"', 'page-up', '"🙂"']);
  expect(decoder.patienceMs).toBeNull();
});

it('takes an Escape that nothing follows for the key', () => {
  const decoder = new KeyDecoder();
  expect(decoder.push(bytes('a\x1b'))).toEqual([{ name: 'text', text: 'a' }]);
  const short = decoder.patienceMs ?? 0;
  expect(names(decoder.flush())).toEqual(['escape']);
  expect(decoder.patienceMs).toBeNull();
  decoder.push(bytes('\x1b['));
  // More than an Escape is waited for: it is the beginning of something.
  expect(decoder.patienceMs).toBeGreaterThan(short);
  expect(names(decoder.push(bytes('A')))).toEqual(['up']);
  expect(decode('\x1b\x1b\x1b[A')).toEqual(['escape', 'escape', 'up']);
});

it('takes no line break for Enter that was pasted, though the end of the paste is lost', () => {
  const decoder = new KeyDecoder();
  expect(decoder.push(bytes('\x1b[200~rm -rf\r\ny\r'))).toEqual([]);
  expect(decoder.flush()).toEqual([{ name: 'text', text: 'rm -rf y ', pasted: true }]);
  expect(names(decoder.push(bytes('\r')))).toEqual(['enter']);
});

it('hears Ctrl-C in the middle of anything but a paste', () => {
  expect(decode('\x1b[\x03')).toEqual(['interrupt']);
  expect(decode('\x1b\x03')).toEqual(['interrupt']);
  expect(decode('\x1b]11;never ended\x03').at(-1)).toBe('interrupt');
});

it('does not wait for ever, nor keep without end', () => {
  const decoder = new KeyDecoder();
  decoder.push(bytes('\x1b]'));
  expect(decoder.flush()).toEqual([]);
  expect(names(decoder.push(bytes('a')))).toEqual(['"a"']);
  const keys = decoder.push(bytes(`\x1b]${'x'.repeat(1_100_000)}`));
  expect(keys.length).toBeGreaterThan(0);
  expect(decoder.patienceMs).toBeNull();
});

const decodeLines = (text: string): string[] =>
  names(new KeyDecoder({ lineBreaks: true }).push(bytes(text)));

it('keeps the line breaks and tabs of a paste where a text may have lines', () => {
  const keys = decodeLines('\x1b[200~one\r\n\ttwo\rthree\n\x1b[31m\x1b[201~\r');
  expect(keys).toEqual(['"one\n\ttwo\nthree\n [31m"', 'enter']);
});

it('knows the keys that break a line, and Enter beside them', () => {
  expect(decodeLines('a\n\x1b\r\x1b[13;2u\x1b[27;2;13~\r')).toEqual([
    '"a"',
    ...Array.from({ length: 4 }, () => 'line-break'),
    'enter',
  ]);
});

it('waits for the end of a paste of any length that a person would copy', () => {
  const decoder = new KeyDecoder({ lineBreaks: true });
  expect(decoder.push(bytes(`\x1b[200~${'y\r'.repeat(600_000)}`))).toEqual([]);
  expect(decoder.push(bytes('\x1b[201~'))).toEqual([
    { name: 'text', text: 'y\n'.repeat(600_000), pasted: true },
  ]);
});
