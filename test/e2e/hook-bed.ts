import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentName } from '../../src/agents/agent-adapter.ts';
import { type HookCall, runHook } from '../../src/agents/hook.ts';
import { type HookRecord, readHookLog } from '../../src/agents/hook-log.ts';
import { openSavepoint, type Savepoint } from '../../src/index.ts';
import { makeScratch, removeScratch } from './scratch.ts';

/** A project in which an agent works whose hooks run in this process. */
export class HookBed {
  readonly base: string = makeScratch();
  readonly root: string = join(this.base, 'project');
  readonly home: string = join(this.base, 'stores');
  readonly agent: AgentName;

  constructor(agent: AgentName) {
    this.agent = agent;
    mkdirSync(this.root);
  }

  /** What the hook prints for a payload. */
  async hook(payload: unknown, more: Partial<HookCall> = {}): Promise<string> {
    return (await runHook(this.call(JSON.stringify(payload), more))).output;
  }

  call(text: string, more: Partial<HookCall> = {}): HookCall {
    return {
      agent: this.agent,
      event: null,
      input: { text },
      env: { SAVEPOINT_HOME: this.home, HOME: this.base },
      homeDirectory: this.base,
      platform: process.platform,
      cwd: this.root,
      // This process is the agent: it lives as long as the test.
      parentId: process.pid,
      program: [process.execPath, '-e', '0'],
      ...more,
    };
  }

  put(path: string, content: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  /** Null where there is no such file. */
  text(path: string): string | null {
    const file = join(this.root, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  }

  remove(path: string): void {
    rmSync(join(this.root, path));
  }

  async with<T>(work: (savepoint: Savepoint) => Promise<T>): Promise<T> {
    const savepoint = await openSavepoint({ project: this.root, home: this.home, scan: true });
    try {
      return await work(savepoint);
    } finally {
      await savepoint.close();
    }
  }

  /** Makes the first scan, as `savepoint init` does. */
  scan(): Promise<unknown> {
    return this.with((savepoint) => savepoint.scan());
  }

  /** Takes back what was done since a prompt. */
  rewind(prompt: string): Promise<unknown> {
    return this.with(async (savepoint) => {
      const checkpoints = await savepoint.list();
      const found = checkpoints.find(({ description }) => description === prompt);
      if (found === undefined) throw new Error(`there is no checkpoint of the prompt ${prompt}`);
      return savepoint.rewind({ to: found.id });
    });
  }

  /** The prompts on record, oldest first, each with the number of files that changed under it. */
  prompts(): Promise<string[]> {
    return this.with(async (savepoint) => {
      const listed = await savepoint.list({ kinds: ['message'], oldestFirst: true });
      return listed.map(({ description, files }) => `${description}: ${files}`);
    });
  }

  log(): HookRecord[] {
    return readHookLog(this.home);
  }

  done(): void {
    removeScratch(this.base);
  }
}
