import { describe, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, playSequences } from './campaign.ts';

describe('a timeline on a PostgreSQL server', () => {
  it(
    'takes back what one session did, as one in a folder does',
    () =>
      playSequences(
        {
          message: 8,
          edit: 25,
          write: 5,
          delete: 3,
          rename: 3,
          chmod: 3,
          link: 2,
          folder: 2,
          'end-turn': 2,
          mark: 3,
          rewind: 14,
          undo: 8,
          redo: 5,
          'there-and-back': 5,
          twice: 3,
          stale: 2,
          evict: 2,
          cleanup: 2,
          archive: 1,
          reopen: 2,
          shell: 10,
          'open-window': 2,
          'close-window': 2,
          scan: 2,
        },
        { share: 0.05, stores: ['postgres'] },
      ),
    CAMPAIGN_TIMEOUT_MS,
  );

  it(
    'goes on as if nothing had been, each time it is carried to a server or back',
    () =>
      playSequences(
        {
          message: 8,
          edit: 25,
          write: 4,
          delete: 3,
          rename: 3,
          chmod: 2,
          link: 2,
          folder: 2,
          'end-turn': 2,
          mark: 3,
          rewind: 10,
          undo: 6,
          redo: 4,
          evict: 3,
          cleanup: 3,
          archive: 2,
          reopen: 8,
          shell: 8,
          'open-window': 2,
          'close-window': 2,
          scan: 2,
        },
        { share: 0.025, stores: ['carried'] },
      ),
    CAMPAIGN_TIMEOUT_MS,
  );
});
