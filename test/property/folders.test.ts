import { describe, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, playSequences } from './campaign.ts';

describe('folders, and files that change places with them', () => {
  it(
    'removes a folder only when it is empty and swaps whole groups or nothing',
    () =>
      playSequences({
        message: 8,
        edit: 8,
        write: 10,
        delete: 10,
        rename: 9,
        chmod: 6,
        link: 4,
        folder: 10,
        swap: 12,
        look: 3,
        'end-turn': 1,
        mark: 3,
        rewind: 16,
        undo: 8,
        redo: 5,
        'there-and-back': 5,
        twice: 3,
        stale: 2,
        evict: 1,
        reopen: 2,
      }),
    CAMPAIGN_TIMEOUT_MS,
  );
});
