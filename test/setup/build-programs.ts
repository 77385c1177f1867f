import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { inCheckout } from '../../scripts/bundle-inputs.ts';
import { builtName, PROGRAMS } from './programs.ts';
import { offerPage } from './shared-page.ts';
import { offerPostgres } from './shared-postgres.ts';

/**
 * Builds once what tests start as processes: the commands as they are published, and the programs of the tests
 * themselves. Node takes four times as long to load the sources as a short command takes to do its work.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-built-')));
  // Some tests start the command as another user.
  chmodSync(folder, 0o755);
  cpSync(inCheckout('bin'), join(folder, 'bin'), { recursive: true });
  cpSync(inCheckout('package.json'), join(folder, 'package.json'));
  // The interactive agent finds the SDK there.
  symlinkSync(inCheckout('node_modules'), join(folder, 'node_modules'));
  await build(folder);
  project.onTestsRerun(() => build(folder));
  project.provide('built', folder);
  const socket = join(folder, 'postgres.socket');
  const stopPostgres = await offerPostgres(socket);
  project.provide('postgres', socket);
  const door = join(folder, 'page.socket');
  const stopPage = await offerPage(door, folder);
  project.provide('page', door);
  return async () => {
    await stopPage();
    await stopPostgres();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function build(folder: string): Promise<void> {
  await Promise.all([buildCommands(folder), buildPrograms(join(folder, 'programs'))]);
}

async function buildCommands(folder: string): Promise<void> {
  const script = inCheckout('scripts/bundle-cli.ts');
  await promisify(execFile)(process.execPath, [script, join(folder, 'dist', 'cli')]);
}

async function buildPrograms(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: {
      ...Object.fromEntries(PROGRAMS.map((path) => [builtName(path), inCheckout(path)])),
      // The scan looks for it beside its own code.
      'scan-worker': inCheckout('src/capture/scan/scan-worker.ts'),
    },
    platform: 'node',
    external: [/^node:/, '@anthropic-ai/claude-agent-sdk', 'pg'],
  });
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
}
