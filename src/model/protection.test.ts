import { expect, it } from 'vitest';
import type { TrackedPath } from './path.ts';
import { protectionOf } from './protection.ts';

it.each([
  '.git',
  '.git/config',
  'sub/.git/HEAD',
  '.GIT/config',
  '.Git',
  '.git./config',
  '.git /config',
  '.g\u200cit/config',
  'GIT~1/config',
])('keeps its hands off %j, which a file system may take for git', (path) => {
  expect(protectionOf(path as TrackedPath)).toBe('git');
});

it.each([
  '.claude/settings.json',
  'a/.codex',
  '.factory/settings.json',
  '.cline/hooks/PreToolUse',
  '.mcp.json',
  '.vscode/tasks.json',
  '.CLAUDE/x',
])('knows %j as an agent’s or editor’s configuration', (path) => {
  expect(protectionOf(path as TrackedPath)).toBe('agent-configuration');
});

it.each(['.gitignore', 'git', 'src/.github/x', 'a.git/b', 'mcp.json'])(
  'leaves %j alone',
  (path) => {
    expect(protectionOf(path as TrackedPath)).toBeNull();
  },
);
