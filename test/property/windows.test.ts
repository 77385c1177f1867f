import { describe, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, playSequences } from './campaign.ts';
import { plantIgnored } from './ignored.ts';

describe('commands that overlap, or of which nobody tells the end', () => {
  it(
    'takes back what nobody else can have done, and the rest only where it is asked to',
    () =>
      playSequences(
        {
          message: 10,
          edit: 10,
          write: 4,
          delete: 3,
          rename: 2,
          chmod: 2,
          swap: 2,
          'end-turn': 4,
          mark: 3,
          rewind: 16,
          undo: 6,
          redo: 4,
          'there-and-back': 4,
          twice: 2,
          stale: 1,
          evict: 2,
          cleanup: 2,
          reopen: 2,
          shell: 6,
          'open-window': 14,
          'close-window': 10,
          scan: 2,
          'write-ignored': 3,
          'stop-ignoring': 2,
          'start-ignoring': 2,
          'lose-index': 2,
        },
        { share: 0.1, prepare: plantIgnored },
      ),
    CAMPAIGN_TIMEOUT_MS,
  );
});
