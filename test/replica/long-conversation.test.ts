import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { TerminalInteractiveUI } from '../../src/replica/ui/terminal-interactive-ui.ts';
import { SAMPLE } from './markdown-sample.ts';

const TURNS = 500;
const MEGABYTE = 1_000_000;
/** By then as much is kept as ever will be: 2 million characters. */
const FULL_BY = 250;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it(`takes no more memory after ${TURNS} turns than after ${FULL_BY}`, async () => {
  let bytes = 0;
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  stdout.on('data', ({ length }: Buffer) => {
    bytes += length;
  });
  const ui = new TerminalInteractiveUI({
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    env: { FORCE_COLOR: '1' },
    cwd: '/project',
  });
  const nothing = async (): Promise<void> => undefined;
  await ui.start({
    onSubmit: nothing,
    onRewind: nothing,
    onOwnCommand: async () => undefined,
    onNote: async () => undefined,
    imagesIn: () => [],
    onTakeBack: () => null,
    onInterrupt: () => undefined,
    onExit: () => undefined,
    onNextMode: () => undefined,
    complete: () => [],
  });
  let before = 0;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await playTurn(ui, turn);
    if (turn === FULL_BY) before = heap();
  }
  const grown = heap() - before;
  await ui.stop();
  expect(bytes).toBeGreaterThan(TURNS * SAMPLE.length);
  expect(grown).toBeLessThan(2 * MEGABYTE);
});

async function playTurn(ui: TerminalInteractiveUI, turn: number): Promise<void> {
  ui.displayUserMessage(`prompt ${turn}`);
  ui.setActivity('thinking');
  ui.streamThinking(`thought ${turn} `.repeat(50));
  for (const piece of SAMPLE.match(/.{1,60}/gs) ?? []) {
    ui.streamAnswer(piece);
    // As if a frame were due: what is settled goes into the scroll.
    ui.setActivity(`turn ${turn}, ${piece.length}`);
    await setImmediate();
  }
  ui.displayToolUse({ id: `${turn}`, name: 'Bash', input: { command: `echo ${turn}` } });
  const text = `line of turn ${turn}\n`.repeat(500);
  ui.displayToolResult({ id: `${turn}`, text, isError: false });
  ui.endAnswer();
  ui.setActivity(null);
  await setImmediate();
}
