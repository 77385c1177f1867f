import { CLAUDE_CODE } from './claude-code.ts';
import { CODEX } from './codex.ts';
import { GEMINI_CLI } from './gemini.ts';
import { OPENCODE } from './opencode.ts';
import type { RealAgent } from './real-agent.ts';

/** Those of the story, or the ones that `SAVEPOINT_TEST_AGENTS` names. */
const ALL: readonly RealAgent[] = [CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE];
const wanted = process.env.SAVEPOINT_TEST_AGENTS?.split(',');

export const AGENTS: readonly RealAgent[] = ALL.filter(
  ({ name }) => wanted === undefined || wanted.includes(name),
);
