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
const AGENT = 'demo-agent';

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
  const service = new FileCheckpointService(savepoint, { agent: AGENT });
  let current = { sessionId: SESSION, messageId: '', description: '' };
  const middleware = new FileCheckpointMiddleware({
    service,
    getCurrentSession: () => current,
    tools: ['write_file', 'delete_file'],
    onCaptureFailure: ({ error }) => {
      throw error;
    },
  });
  const execute = middleware.wrap(useTool);
  const sent: SentMessage[] = [];
  for (const [i, message] of MESSAGES.entries()) {
    const treeBefore = readTree(savepoint.root);
    current = { ...current, messageId: `message-${i + 1}`, description: message.prompt };
    const { id } = await savepoint.checkpoint({ ...current, agent: AGENT });
    for (const call of message.calls) await execute(call.tool, call, savepoint.root);
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
