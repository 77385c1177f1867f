import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckpointId, Savepoint } from '../../index.ts';
import {
  FileCheckpointMiddleware,
  FileCheckpointService,
} from '../../integrations/file-checkpoint/index.ts';
import { type DemoCall, type DemoMessage, MESSAGES } from './script.ts';
import { readTree, type Tree } from './stage.ts';

const SESSION = 'demo';

/** One message, and how the project was when it was sent. */
export interface SentMessage {
  readonly message: DemoMessage;
  readonly checkpointId: CheckpointId;
  readonly treeBefore: Tree;
}

/** Lets the scripted agent work, its tools wrapped by the middleware as any agent's would be. */
export async function runAgent(
  savepoint: Savepoint,
  onSent: (sent: SentMessage) => void,
): Promise<SentMessage[]> {
  const service = new FileCheckpointService(savepoint, { agent: 'demo-agent' });
  let messageId = '';
  const middleware = new FileCheckpointMiddleware({
    service,
    getCurrentSession: () => ({ sessionId: SESSION, messageId }),
    tools: ['write_file', 'delete_file'],
    onCaptureFailure: ({ error }) => {
      throw error;
    },
  });
  const execute = middleware.wrap((tool: { name: string }, call: DemoCall, project: string) =>
    useTool(tool.name, call, project),
  );
  const sent: SentMessage[] = [];
  for (const [i, message] of MESSAGES.entries()) {
    messageId = `message-${i + 1}`;
    const treeBefore = readTree(savepoint.root);
    const description = message.prompt;
    const request = { sessionId: SESSION, messageId, agent: 'demo-agent', description };
    const { id } = await savepoint.checkpoint(request);
    for (const call of message.calls) await execute({ name: call.tool }, call, savepoint.root);
    const entry = { message, checkpointId: id, treeBefore };
    sent.push(entry);
    onSent(entry);
  }
  if (middleware.failures.length > 0) throw new Error('the demo failed: a file was not recorded');
  return sent;
}

async function useTool(name: string, call: DemoCall, project: string): Promise<void> {
  const path = join(project, call.file_path);
  if (name === 'delete_file') rmSync(path);
  else writeFileSync(path, call.content ?? '');
}
