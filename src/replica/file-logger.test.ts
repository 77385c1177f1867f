import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withTemporaryFolder } from '../../test/setup/temporary-folder.ts';
import { FileLogger } from './file-logger.ts';

const now = (): Date => new Date(Date.UTC(2026, 0, 1));

describe('FileLogger', () => {
  it('writes a line of JSON for each event, in their order, for its owner alone', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = join(folder, 'logs', 'replica.log');
      const logger = new FileLogger({ file, now });
      const cause = new Error('inner\nline');
      await Promise.all([
        logger.info('Opening checkpoint menu'),
        logger.warn('odd', { checkpointId: 'p1', size: 1n }),
        logger.error('failed', new Error('outer', { cause })),
        logger.error('no more than a text', 'text'),
      ]);
      const time = '2026-01-01T00:00:00.000Z';
      expect(await linesOf(file)).toMatchObject([
        { time, level: 'info', message: 'Opening checkpoint menu' },
        { level: 'warn', details: { checkpointId: 'p1', size: '1' } },
        { level: 'error', error: { message: 'outer', cause: { message: 'inner\nline' } } },
        { level: 'error', error: 'text' },
      ]);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect((await stat(join(folder, 'logs'))).mode & 0o777).toBe(0o700);
    });
  });

  it('leaves out keys, and the rest of long texts', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = join(folder, 'replica.log');
      const logger = new FileLogger({ file, now });
      await logger.error('refused', new Error('key sk-dummy-0123456789 with Bearer dummy.0123456'));
      await logger.info('long', { text: `x${'👍'.repeat(5000)}` });
      const text = await readFile(file, 'utf8');
      expect(text).not.toContain('dummy');
      expect(text).not.toContain('\\ud');
      expect(text.length).toBeLessThan(8000);
    });
  });

  it('begins a new file when the old one is full, and keeps one old one', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = join(folder, 'replica.log');
      const logger = new FileLogger({ file, now, maxBytes: 200 });
      for (let at = 0; at < 9; at += 1) await logger.info(`entry ${at}`, { more: 'x'.repeat(50) });
      expect(await readdir(folder)).toEqual(['replica.log', 'replica.log.1']);
      const kept = [...(await linesOf(`${file}.1`)), ...(await linesOf(file))];
      expect(kept.at(-1)).toMatchObject({ message: 'entry 8' });
      expect((await stat(file)).size).toBeLessThanOrEqual(200);
    });
  });

  it('stops nobody where it cannot write, or what it is given cannot be written', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'file'), '');
      await new FileLogger({ file: join(folder, 'file', 'replica.log') }).info('lost');
      await mkdir(join(folder, 'taken'));
      await new FileLogger({ file: join(folder, 'taken') }).info('lost');
      const logger = new FileLogger({ file: join(folder, 'replica.log'), now });
      const ring: Record<string, unknown> = {};
      ring.self = ring;
      await logger.info('a ring', ring);
      await logger.info('and on');
      expect(await linesOf(join(folder, 'replica.log'))).toMatchObject([{ message: 'and on' }]);
    });
  });
});

async function linesOf(file: string): Promise<unknown[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
