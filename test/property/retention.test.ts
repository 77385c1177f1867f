import { describe, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, playSequences } from './campaign.ts';

describe('a timeline that is cleaned up again and again', () => {
  it(
    'keeps every listed checkpoint wholly restorable',
    () =>
      playSequences({
        message: 8,
        edit: 24,
        'edit-through-link': 1,
        write: 7,
        delete: 5,
        rename: 3,
        chmod: 3,
        link: 2,
        folder: 2,
        swap: 2,
        look: 1,
        'end-turn': 1,
        mark: 9,
        rewind: 20,
        undo: 6,
        redo: 4,
        'there-and-back': 3,
        twice: 2,
        stale: 1,
        evict: 10,
        cleanup: 10,
        archive: 2,
        reopen: 4,
      }),
    CAMPAIGN_TIMEOUT_MS,
  );
});
