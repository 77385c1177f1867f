import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect, it } from 'vitest';
import { loadSdk } from '../../src/replica/sdk/load-sdk.ts';
import { useTool as call, type Script, say } from '../../src/testing/index.ts';
import { type Tree, treeOf } from '../e2e/tree-of.ts';
import { type AgentProject, inAgentProject } from './agent-project.ts';

const WRECK = 'Tidy up in a shell';
const EDIT = 'Change the first line';

const FILES = {
  'config.ini': 'colour = red\nsize = 1\n',
  'notes/old.txt': 'remember\n',
  'moved.txt': 'here\n',
  'run.sh': '#!/bin/sh\n',
  'lines.txt': 'one\ntwo\nthree\nfour\nfive\n',
  'own.txt': 'of the agent\n',
};

const COMMANDS = [
  "sed -i 's/red/blue/' config.ini",
  'rm -r notes',
  'mv moved.txt elsewhere.txt',
  'chmod 600 run.sh',
  "printf '\\000\\377\\001' > picture.bin",
  'mkdir made && ln -s ../config.ini made/link',
];

function script(project: AgentProject): Script {
  const own = project.path('own.txt');
  const lines = project.path('lines.txt');
  return {
    [WRECK]: [
      [call('Bash', { command: COMMANDS.join(' && '), description: 'Tidy up' })],
      [call('Read', { file_path: own })],
      [call('Edit', { file_path: own, old_string: 'of the agent', new_string: 'edited' })],
      [say('I tidied up.')],
    ],
    [EDIT]: [
      [call('Read', { file_path: lines })],
      [call('Edit', { file_path: lines, old_string: 'one', new_string: 'ONE' })],
      [say('I changed it.')],
    ],
  };
}

function person(project: AgentProject): void {
  project.write(
    'lines.txt',
    (project.read('lines.txt') ?? '').replace('five', 'five, says a person'),
  );
}

it('undoes what a shell did, byte for byte, and keeps what a person wrote; the SDK alone does neither', () =>
  inAgentProject(FILES, script, async (project) => {
    writeFileSync(project.path('picture.bin'), Buffer.from([0, 1, 2, 254, 255]));
    chmodSync(project.path('run.sh'), 0o755);
    const before = treeOf(project.root);
    const again = join(project.scratch, 'before');
    cpSync(project.root, again, { recursive: true, preserveTimestamps: true });

    const agent = await project.start();
    await agent.ask(EDIT, 'I changed it.');
    person(project);
    const between = treeOf(project.root);
    await agent.ask(WRECK, 'I tidied up.');
    const wrecked = treeOf(project.root);
    expect(changed(before, wrecked)).toEqual([...BY_SHELL, 'lines.txt', 'own.txt'].sort());
    await agent.openMenu(2);
    await agent.rewind(1, 'files', `Restored to checkpoint: ${WRECK}`);
    expect(treeOf(project.root)).toEqual(between);
    await agent.openMenu(2);
    await agent.rewind(2, 'files', `Restored to checkpoint: ${EDIT}`);
    expect(changed(before, treeOf(project.root))).toEqual(['lines.txt']);
    expect(project.read('lines.txt')).toBe('one\ntwo\nthree\nfour\nfive, says a person\n');
    await agent.until('merged lines.txt');
    expect(await agent.leave()).toBe(0);

    rmSync(project.root, { recursive: true });
    cpSync(again, project.root, { recursive: true, preserveTimestamps: true });
    expect(treeOf(project.root)).toEqual(before);
    await bySdkAlone(project);
    expect(changed(before, treeOf(project.root))).toEqual(BY_SHELL);
    expect(project.read('lines.txt')).toBe(FILES['lines.txt']);
  }));

const BY_SHELL = [
  'config.ini',
  'elsewhere.txt',
  'made',
  'made/link',
  'moved.txt',
  'notes',
  'notes/old.txt',
  'picture.bin',
  'run.sh',
];

function changed(before: Tree, after: Tree): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).sort();
}

/** The same turns and the same person, with nothing but `rewindFiles`. */
async function bySdkAlone(project: AgentProject): Promise<void> {
  const { query } = await loadSdk();
  const first = randomUUID();
  const prompts = [prompt(EDIT, first), prompt(WRECK, randomUUID())];
  let next: () => void = () => undefined;
  async function* input(): AsyncGenerator<SDKUserMessage> {
    for (const one of prompts) {
      const turn = new Promise<void>((resolve) => {
        next = resolve;
      });
      yield one;
      await turn;
    }
  }
  let turns = 0;
  const running = query({
    prompt: input(),
    options: {
      cwd: project.root,
      env: project.env(),
      settingSources: [],
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      enableFileCheckpointing: true,
      extraArgs: { 'replay-user-messages': null },
    },
  });
  for await (const message of running) {
    if (message.type !== 'result') continue;
    turns += 1;
    if (turns === 1) person(project);
    if (turns === 2) expect(await running.rewindFiles(first)).toMatchObject({ canRewind: true });
    next();
  }
  expect(turns).toBe(2);
}

function prompt(content: string, uuid: ReturnType<typeof randomUUID>): SDKUserMessage {
  return { type: 'user', uuid, parent_tool_use_id: null, message: { role: 'user', content } };
}
