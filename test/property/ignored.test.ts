import { describe, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, playSequences } from './campaign.ts';
import { plantIgnored } from './ignored.ts';

describe('a file that rules hide and show again', () => {
  it(
    'is never deleted or overwritten for what it was while nobody looked',
    () =>
      playSequences(
        {
          message: 4,
          edit: 2,
          'write-late': 8,
          delete: 2,
          rename: 1,
          mark: 12,
          rewind: 16,
          undo: 5,
          redo: 3,
          'there-and-back': 6,
          twice: 2,
          stale: 1,
          cleanup: 1,
          reopen: 1,
          shell: 4,
          'shell-late': 20,
          'open-window': 2,
          'close-window': 2,
          scan: 6,
          'write-ignored': 20,
          'stop-ignoring': 20,
          'start-ignoring': 20,
          'lose-index': 1,
        },
        { share: 0.05, prepare: plantIgnored },
      ),
    CAMPAIGN_TIMEOUT_MS,
  );
});
