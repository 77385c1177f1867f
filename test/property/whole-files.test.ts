import { describe, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, playSequences } from './campaign.ts';

describe('files that are made, replaced, renamed and removed', () => {
  it(
    'brings back what was there, or leaves a conflict untouched',
    () =>
      playSequences({
        message: 8,
        edit: 14,
        'edit-through-link': 3,
        write: 14,
        delete: 10,
        rename: 8,
        chmod: 8,
        link: 7,
        look: 2,
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
