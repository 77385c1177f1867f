import type { CheckpointQuery } from '../index.ts';

type Kinds = NonNullable<CheckpointQuery['kinds']>;

/** What somebody made, and looks for when they choose. */
export const MADE: Kinds = ['message', 'step', 'manual'];

/** What rewinds kept first: there to be found, not to stand in the way. */
export const KEPT_FIRST: Kinds = ['safety'];
