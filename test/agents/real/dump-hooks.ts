import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Places, putFile } from './real-agent.ts';

const CLAUDE_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'SessionEnd',
];
const CODEX_EVENTS = [
  ...CLAUDE_EVENTS.filter((event) => event !== 'PostToolUseFailure'),
  'Interrupt',
];
const GEMINI_EVENTS = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'AfterTool',
  'AfterAgent',
  'SessionEnd',
];

/** Hooks, written by hand, that keep each payload as it comes. */
export function dumpPayloads(agent: string, places: Places): void {
  const script = join(places.home, 'keep-payload');
  // A file for each: hooks of parallel calls run at the same time.
  putFile(script, `#!/bin/sh\ncat > "${kept(places)}/$(date +%s%N)-$$"\n`);
  chmodSync(script, 0o755);
  mkdirSync(kept(places));
  if (agent === 'claude-code') {
    const hooks = hooksFor(CLAUDE_EVENTS, script);
    putFile(join(places.home, '.claude', 'settings.json'), { hooks });
  } else if (agent === 'codex') {
    putFile(join(places.home, '.codex', 'hooks.json'), { hooks: hooksFor(CODEX_EVENTS, script) });
  } else if (agent === 'gemini') {
    const path = join(places.home, '.gemini', 'settings.json');
    const settings = JSON.parse(readFileSync(path, 'utf8')) as object;
    putFile(path, { ...settings, hooks: hooksFor(GEMINI_EVENTS, script) });
  } else {
    putFile(
      join(places.home, '.config', 'opencode', 'plugin', 'keep.js'),
      plugin(join(kept(places), 'all')),
    );
  }
}

/** The payloads so far. */
export function payloads(places: Places): Record<string, unknown>[] {
  const files = readdirSync(kept(places)).sort();
  const lines = files.flatMap((name) => readFileSync(join(kept(places), name), 'utf8').split('\n'));
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

function kept({ home }: Places): string {
  return join(home, 'payloads');
}

function hooksFor(events: readonly string[], command: string): object {
  const entry = [{ hooks: [{ type: 'command', command }] }];
  return Object.fromEntries(events.map((event) => [event, entry]));
}

function plugin(file: string): string {
  return `import { appendFileSync } from 'node:fs';
const keep = (event, payload) => appendFileSync(${JSON.stringify(file)}, JSON.stringify({ event, payload }) + '\\n');
export const Keep = async ({ directory, worktree }) => {
  keep('INIT', { directory, worktree, pid: process.pid, ppid: process.ppid });
  return {
    event: async ({ event }) => keep('event ' + event.type, event.properties),
    'chat.message': async (i, { message, parts }) => keep('chat.message', { i, message, parts }),
    'tool.execute.before': async (i, { args }) => keep('tool.execute.before', { i, args }),
    'tool.execute.after': async (i) => keep('tool.execute.after', { i }),
  };
};
`;
}
