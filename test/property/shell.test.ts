import { describe, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, playSequences } from './campaign.ts';
import { plantIgnored } from './ignored.ts';

describe('commands of which only a scan tells what they did', () => {
  it(
    'takes back what they changed, and leaves what others did and what is ignored',
    () =>
      playSequences(
        {
          message: 8,
          edit: 10,
          write: 5,
          delete: 3,
          rename: 3,
          chmod: 3,
          link: 2,
          folder: 2,
          swap: 2,
          'end-turn': 2,
          mark: 3,
          rewind: 14,
          undo: 6,
          redo: 4,
          'there-and-back': 4,
          twice: 2,
          stale: 1,
          evict: 2,
          cleanup: 2,
          reopen: 2,
          shell: 20,
          scan: 2,
          'write-ignored': 4,
          'stop-ignoring': 2,
          'start-ignoring': 2,
          'lose-index': 2,
        },
        { share: 0.1, prepare: plantIgnored },
      ),
    CAMPAIGN_TIMEOUT_MS,
  );
});
