import { expect, it } from 'vitest';
import { withoutIds } from './record-session.ts';
import { ON_TWO_MACHINES, sessionIn } from './recorded-sessions.ts';

it('shows in docs/postgres.md what two machines print; `npm run record` writes it', async () => {
  const played = await ON_TWO_MACHINES.record();
  expect(withoutIds(sessionIn(ON_TWO_MACHINES))).toBe(withoutIds(played));
});
