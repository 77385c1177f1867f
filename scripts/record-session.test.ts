import { expect, it } from 'vitest';
import { withoutIds } from './record-session.ts';
import { RECORDED, sessionIn } from './recorded-sessions.ts';

it.each(RECORDED)(
  'shows in $document what the commands print at a terminal; `npm run record` writes it',
  async (recorded) => {
    expect(withoutIds(sessionIn(recorded))).toBe(withoutIds(await recorded.record()));
  },
);
