import { describe, expect, it } from 'vitest';
import { RecordingUI } from '../../../test/replica/recording-ui.ts';
import type { CheckpointMetadata } from '../checkpoint/checkpoint-manager.ts';
import { chooseRewind, type RewindParts } from './rewind-flow.ts';

const ENTRIES: readonly CheckpointMetadata[] = ['add tests', 'add a toggle'].map(
  (description, at) => ({
    id: `prompt-${at}`,
    timestamp: new Date(Date.now() - (at + 1) * 120_000),
    description,
    sessionId: 'session',
  }),
);

const OFFERED = { prompts: ENTRIES, byHand: [], ofOthers: [] };

/** Without the engine and without a query: what is chosen is all that counts here. */
function partsFor(ui: RecordingUI): RewindParts {
  const checkpoints = {} as RewindParts['checkpoints'];
  const paint = (_style: string, text: string): string => text;
  const nothing = { files: null, query: null, sessionId: 'session', sdkKeepsFiles: false };
  return { ui, checkpoints, ...nothing, paint };
}

describe('the list of /checkpoint', () => {
  it('begins with the entry that stays where one is, then the prompts, newest first', async () => {
    const ui = new RecordingUI();
    expect(await chooseRewind(partsFor(ui), OFFERED, [])).toBeNull();
    expect(ui.lists).toEqual([
      {
        title: 'Checkpoints',
        items: [
          {
            id: '__current__',
            text: '(current)\n  Do not restore, continue with the current session.',
          },
          { id: 'prompt-0', text: 'add tests\n  2 minutes ago' },
          { id: 'prompt-1', text: 'add a toggle\n  4 minutes ago' },
        ],
      },
    ]);
  });

  it('leaves everything as it is when (current) is chosen', async () => {
    const ui = new RecordingUI();
    ui.choose = () => '__current__';
    expect(await chooseRewind(partsFor(ui), OFFERED, [])).toBeNull();
  });

  it('goes on to the choice of what to take back with the entry that was chosen', async () => {
    const ui = new RecordingUI();
    ui.choose = (items) => items[2]?.id ?? null;
    ui.rewindChoice = 'both';
    const chosen = await chooseRewind(partsFor(ui), OFFERED, []);
    expect(chosen).toMatchObject({ entry: { id: 'prompt-1' }, choice: 'both', plan: null });
  });
});
