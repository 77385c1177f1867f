import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckpointId, Savepoint } from '../../index.ts';
import {
  FileCheckpointMiddleware,
  FileCheckpointService,
} from '../../integrations/file-checkpoint/index.ts';
import { type DemoCall, type DemoMessage, FIRST_FILES, MESSAGES, PROGRAM } from './script.ts';

/** Temporary folders for one play: a project, and a store of its own. */
export interface Stage {
  readonly project: string;
  readonly home: string;
  remove(): void;
}

export function setStage(): Stage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-demo-')));
  const project = join(folder, 'till');
  const home = join(folder, 'savepoint-home');
  mkdirSync(project);
  for (const [name, content] of Object.entries(FIRST_FILES))
    writeFileSync(join(project, name), content);
  return { project, home, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Every file of the project by name, as text: mode and bytes. */
export type Tree = ReadonlyMap<string, string>;

export function readTree(project: string): Tree {
  const names = readdirSync(project).sort();
  return new Map(
    names.map((name) => {
      const path = join(project, name);
      return [name, `${statSync(path).mode.toString(8)} ${readFileSync(path).toString('base64')}`];
    }),
  );
}

/** The play proves what it claims: byte for byte, or it fails. */
export function expectTree(project: string, expected: Tree, when: string): void {
  const found = readTree(project);
  const names = [...new Set([...expected.keys(), ...found.keys()])];
  const wrong = names.filter((name) => expected.get(name) !== found.get(name));
  if (wrong.length > 0)
    throw new Error(`the demo failed: ${wrong.join(', ')} not as expected ${when}`);
}

/** Runs the project's program for real. Gives what it prints, or how it fails. */
export function runProgram(project: string): Promise<string[]> {
  const options = {
    cwd: project,
    env: { PATH: process.env.PATH ?? '' },
    encoding: 'utf8',
  } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM], options, (error, stdout, stderr) => {
      const text = error === null ? stdout : (/^\w*Error.*$/m.exec(stderr)?.[0] ?? 'it failed');
      resolve(text.trimEnd().split('\n'));
    });
  });
}

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
