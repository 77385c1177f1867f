import { createHash } from 'node:crypto';
import {
  type PermissionQuestion,
  REWIND_CHOICES,
  type RewindEntry,
} from '../../src/replica/ui/interactive-ui.ts';
import type { StatusShown } from '../../src/replica/ui/status-line.ts';
import { TerminalInteractiveUI } from '../../src/replica/ui/terminal-interactive-ui.ts';

/** A program with nothing but the interactive UI: what is submitted says what is to be shown. */
const { stdin, stdout, env } = process;
const ui = new TerminalInteractiveUI({ stdin, stdout, env, cwd: '/project' });

const MINUTE = 60_000;
const entries = (count: number): RewindEntry[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `entry-${i + 1}`,
    timestamp: new Date(Date.now() - (i + 1) * 2 * MINUTE - 1_000),
    description: i === 1 ? '修复解析器并添加测试' : `Prompt number ${i + 1}`,
    label: i === 2 ? 'before lunch' : null,
    isPrompt: true,
    counts: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const sum = { folders: 0, conflicts: 0, files: i + 1, insertions: 10, deletions: 3 };
      return { own: { ...sum, files: 1, insertions: 2 }, sum };
    },
    preview: async () => () =>
      Array.from({ length: 40 }, (_, row) => `+line ${row + 1} of prompt ${i + 1}`),
  }));

const others: RewindEntry[] = entries(2).map((entry, i) => ({
  ...entry,
  id: `other-${i + 1}`,
  description: `Of another conversation ${i + 1}`,
}));

async function rewind(count: number): Promise<void> {
  const entry = await ui.showRewindMenu(entries(count), others);
  ui.displayInfo(entry === null ? 'left the menu' : `chose ${entry.id}`);
}

function question(
  title: string,
  details: readonly string[],
  signal: AbortSignal,
): PermissionQuestion {
  const call = { callId: 'call', toolName: 'Bash', edit: null, isGrave: false };
  return { ...call, title, details, always: 'this command', signal };
}

const never = new AbortController().signal;

const SCENES: Readonly<Record<string, () => unknown>> = {
  busy: () => ui.setActivity('running Bash'),
  menu: () => rewind(3),
  'long menu': () => rewind(25),
  choice: async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `+ line ${i + 1} of the diff`);
    const title = 'Rewind to: Prompt number 1';
    const preview = { title, body: () => lines, choices: REWIND_CHOICES };
    const choice = await ui.showRewindChoice(preview);
    ui.displayInfo(`took back ${choice}`);
  },
  permission: async () => {
    const details = ['rm -rf build\x1b[2J', 'in /project'];
    const answer = await ui.askPermission(question('Run a command?', details, never));
    ui.displayInfo(`first ${typeof answer === 'string' ? answer : `no, ${answer.no}`}`);
  },
  aborted: async () => {
    const signal = AbortSignal.timeout(100);
    ui.displayInfo(`aborted ${await ui.askPermission(question('Too late?', [], signal))}`);
  },
  two: async () => {
    const answers = ['One?', 'Two?'].map((title) => ui.askPermission(question(title, [], never)));
    ui.displayInfo(`both ${(await Promise.all(answers)).join(' ')}`);
  },
  confirm: async () => ui.displayInfo(`confirmed ${await ui.confirm('Delete it?')}`),
  select: async () => {
    const items = ['one\nthe first of them', 'two\nthe second'];
    const chosen = await ui.select(
      'Sessions',
      items.map((text) => ({ id: text.slice(0, 3), text })),
    );
    ui.displayInfo(`selected ${chosen}`);
  },
  notices: () => {
    ui.displayWarning('a warning');
    ui.displayError('an error \x1b[2J\u202e');
    ui.displaySuccess('a success');
    ui.displayInfo('an info');
  },
  talk: () => {
    ui.streamThinking('I wonder what this is.');
    ui.streamAnswer('Here ');
    ui.streamAnswer('it is.');
    ui.displayToolUse({ id: '1', name: 'Write', input: { file_path: '/project/notes.txt' } });
    const content = Array.from({ length: 13 }, (_, i) => `result ${i + 1}\n`).join('');
    const output = { type: 'create', content };
    ui.displayToolResult({ id: '1', text: 'File created', isError: false, output });
  },
  stream: async () => {
    for (let i = 1; i <= 60; i++) {
      ui.streamAnswer(`streamed line ${i}\n`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    ui.endAnswer();
    ui.displayInfo('streamed all');
  },
  clear: () => ui.clear(),
  queue: () => {
    waiting.push('the first that waits', 'the second that waits');
    ui.setWaiting([...waiting]);
  },
  resume: () => {
    const turns = Array.from({ length: 60 }, (_, i) => [
      { kind: 'user' as const, text: `asked ${i + 1}` },
      { kind: 'answer' as const, text: `answered ${i + 1}` },
    ]);
    ui.showConversation(turns.flat());
  },
  edit: () => ui.setInput('taken back'),
  // From elsewhere, while a question is open.
  signal: () => {
    void SCENES.permission?.();
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), 100);
  },
  crash: () =>
    setTimeout(() => {
      throw new Error('a bug');
    }),
};

const STATUS: StatusShown = {
  folder: '/project',
  branch: 'main',
  model: 'offline model',
  permissionMode: 'default',
  context: null,
  costUSD: null,
  wayBack: { changes: null },
};
const waiting: string[] = [];

async function stop(): Promise<void> {
  await ui.stop();
  stdout.write(`raw=${stdin.isRaw}\n`);
}

await ui.start({
  onSubmit: async (text) => {
    const scene = SCENES[text];
    if (scene !== undefined) void scene();
    else {
      ui.displayUserMessage(text);
      const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
      ui.displayInfo(`submitted ${text.length} characters ${hash}`);
    }
  },
  onRewind: () => rewind(3),
  onOwnCommand: async () => undefined,
  onNote: async () => undefined,
  imagesIn: () => [],
  onTakeBack: () => {
    const text = waiting.pop() ?? null;
    ui.setWaiting([...waiting]);
    return text;
  },
  onInterrupt: () => {
    ui.setActivity(null);
    ui.displayWarning('interrupted');
  },
  onExit: () => void stop(),
  onNextMode: () => ui.setStatus({ ...STATUS, permissionMode: 'next mode' }),
  complete: (text) =>
    ['/checkpoint', '/clear', '/undo']
      .filter((name) => name.startsWith(text))
      .map((name) => ({ text: name, summary: `what ${name} does` })),
});
ui.setStatus(STATUS);
process.once('SIGTERM', () => void stop());
