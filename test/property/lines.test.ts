import { describe, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, playSequences } from './campaign.ts';

describe('two sessions and a person in the same texts', () => {
  it(
    'takes back the lines of one and leaves those of the others',
    () =>
      playSequences({
        message: 8,
        edit: 40,
        'edit-through-link': 2,
        write: 4,
        delete: 2,
        rename: 2,
        chmod: 3,
        'end-turn': 1,
        mark: 3,
        rewind: 14,
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
