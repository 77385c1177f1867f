import { PassThrough } from 'node:stream';
import xterm from '@xterm/headless';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FullScreen, HeldTerminal, IN_THE_SCROLL, LiveRows } from './screen.ts';

const COLUMNS = 20;
const ROWS = 6;

let terminal: InstanceType<typeof xterm.Terminal>;
let written: string;
let output: NodeJS.WriteStream;
beforeEach(() => {
  terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  written = '';
  const write = (text: string): boolean => {
    written += text;
    terminal.write(text);
    return true;
  };
  output = { columns: COLUMNS, write } as unknown as NodeJS.WriteStream;
});

/** Every row, with those that have scrolled out of sight; without blank ones at the end. */
async function rows(): Promise<string[]> {
  await new Promise<void>((resolve) => terminal.write('', resolve));
  const { active } = terminal.buffer;
  const all = Array.from({ length: active.length }, (_, i) =>
    (active.getLine(i)?.translateToString(true) ?? '').trimEnd(),
  );
  return all.slice(0, all.findLastIndex((row) => row !== '') + 1);
}

async function cursor(): Promise<[row: number, column: number]> {
  await rows();
  return [terminal.buffer.active.cursorY, terminal.buffer.active.cursorX];
}

describe('rows that still change', () => {
  it('are drawn over themselves, below rows that stay', async () => {
    const screen = new LiveRows(output);
    screen.print(['first']);
    screen.draw(['one', 'two', 'three'], { row: 1, column: 2 });
    expect(await rows()).toEqual(['first', 'one', 'two', 'three']);
    expect(await cursor()).toEqual([2, 2]);
    screen.draw(['one', 'TWO', 'three', 'four'], null);
    expect(await rows()).toEqual(['first', 'one', 'TWO', 'three', 'four']);
    screen.print(['second']);
    screen.draw(['only'], { row: 0, column: 0 });
    expect(await rows()).toEqual(['first', 'second', 'only']);
    expect(await cursor()).toEqual([2, 0]);
    screen.end();
    expect(await rows()).toEqual(['first', 'second']);
  });

  it('keep every row that was printed, once, however many scroll by', async () => {
    const screen = new LiveRows(output);
    const expected: string[] = [];
    for (let i = 0; i < 30; i += 1) {
      screen.print([`row ${i}`, '']);
      expected.push(`row ${i}`, '');
      screen.draw(
        Array.from({ length: 1 + (i % 4) }, (_, n) => `live ${n}`),
        null,
      );
    }
    screen.end();
    expect(await rows()).toEqual(expected.slice(0, -1));
  });

  it('are cut to the width of the terminal, which breaks rows that were printed', async () => {
    const screen = new LiveRows(output);
    screen.print(['x'.repeat(COLUMNS + 1)]);
    screen.draw([`\x1b[31m${'y'.repeat(50)}\x1b[39m`, '日本語'.repeat(9)], null);
    expect(await rows()).toEqual([
      'x'.repeat(COLUMNS),
      'x',
      `${'y'.repeat(COLUMNS - 1)}…`,
      '日本語日本語日本語…',
    ]);
  });

  it('are not drawn again where nothing changed', () => {
    const screen = new LiveRows(output);
    screen.draw(['one', 'two'], { row: 0, column: 1 });
    written = '';
    screen.draw(['one', 'two'], { row: 0, column: 1 });
    expect(written).toBe('');
    screen.draw(['one', 'TWO'], { row: 0, column: 1 });
    expect(written).not.toContain('one');
  });

  it('begin at the top after a restart', async () => {
    const screen = new LiveRows(output);
    screen.print(['old']);
    screen.draw(['live', 'rows'], null);
    screen.print(['never printed']);
    screen.restart();
    screen.print(['new']);
    screen.draw(['live'], null);
    expect(await rows()).toEqual(['new', 'live']);
  });
});

it('draws on a full screen only the rows that changed', async () => {
  const screen = new FullScreen(output);
  screen.draw(['one', 'two']);
  written = '';
  screen.draw(['one', 'TWO']);
  expect(written).not.toContain('one');
  expect(await rows()).toEqual(['one', 'TWO']);
  screen.forget();
  screen.draw(['one', 'TWO']);
  expect(await rows()).toEqual(['one', 'TWO']);
});

it('hears no key that came with the one that gave the terminal away', async () => {
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream & PassThrough;
  const stdout = new PassThrough() as unknown as NodeJS.WriteStream;
  const editing = Promise.withResolvers<void>();
  const heard: string[] = [];
  let lent: Promise<void> | null = null;
  const held = new HeldTerminal(
    { stdin, stdout, modes: IN_THE_SCROLL },
    {
      onKey: ({ name }) => {
        heard.push(name);
        if (name === 'open-editor') lent = held.lend(() => editing.promise);
      },
      onEnd: () => undefined,
      onRedraw: () => undefined,
    },
  );
  held.take();
  stdin.write('\x07\x07\r');
  await vi.waitFor(() => expect(lent).not.toBeNull());
  expect(heard).toEqual(['open-editor']);
  editing.resolve();
  await lent;
  stdin.write('\r');
  await vi.waitFor(() => expect(heard).toEqual(['open-editor', 'enter']));
  held.release();
});
