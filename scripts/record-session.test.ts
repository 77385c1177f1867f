import { expect, it } from 'vitest';
import { sessionInReadme } from './readme-session.ts';
import { recordSession, withoutIds } from './record-session.ts';

it('shows in README what the commands print at a terminal; `npm run record` writes it', async () => {
  expect(withoutIds(sessionInReadme())).toBe(withoutIds(await recordSession()));
});
