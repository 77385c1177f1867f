import type { Query, RewindFilesResult } from '@anthropic-ai/claude-agent-sdk';

/** The least of the SDK's `Query` that taking files back needs: a test double fits as well. */
export interface RewindableQuery {
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
}

/** That the real thing fits is checked by the compiler. */
export type RealQueryFits = Query extends RewindableQuery ? true : never;
