import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { openSavepoint } from 'savepoint';
import { build } from 'vite';
import { atMost, type Benchmark } from './benchmark.ts';
import { alternate, roundsWanted, type Samples } from './measure.ts';
import type { Scratch } from './scratch.ts';

const BIN = fileURLToPath(new URL('../bin/savepoint.cjs', import.meta.url));
const EMPTY_PAGE = fileURLToPath(new URL('./pierre-diffs/', import.meta.url));
const LINES = 5_000;
const ROUNDS = 3;
const WIDE = { viewport: { width: 1400, height: 900 } };

/** A long diff as a person meets it, in a real browser. */
export const WEB_DIFF: readonly Benchmark[] = [
  {
    name: 'a diff of 5,000 lines in `savepoint web`, side by side, from the click to the last line in colours',
    against: '`@pierre/diffs` with both texts on an empty page',
    bar: atMost(2),
    run: longDiff,
  },
];

async function longDiff(scratch: Scratch): Promise<Samples> {
  const texts = { before: sourceOf('text'), after: sourceOf('other') };
  const server = await startPage(scratch, texts);
  const empty = await serveEmptyPage(scratch);
  const browser = await startBrowser();
  try {
    const ours = await openOurs(browser, server);
    const theirs = await (await browser.newContext(WIDE)).newPage();
    await theirs.goto(empty.url);
    const { before, after } = texts;
    const shown = JSON.stringify(['a.ts', before, after, LINES]);
    return await alternate(
      { time: () => ours.evaluate(`(${OPEN_AND_FOLD})(${LINES})`) as Promise<number> },
      { time: () => theirs.evaluate(`showDiff(...${shown})`) as Promise<number> },
      { counted: roundsWanted(ROUNDS), warmUp: 1 },
    );
  } finally {
    await browser.close();
    empty.close();
    server.process.kill();
  }
}

/** Every second line differs. */
function sourceOf(word: string): string {
  return Array.from({ length: LINES }, (_, i) => {
    const said = i % 2 === 0 ? 'text' : word;
    return `export const value${i} = compute(${i}, "${said} ${i}"); // line ${i}\n`;
  }).join('');
}

interface Server {
  readonly process: ChildProcess;
  readonly oneTimeUrl: string;
  readonly place: string;
}

/** The command, in a project in which a prompt changed one long file. */
async function startPage(
  scratch: Scratch,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<Server> {
  const [project, home] = [scratch.make('project'), scratch.make('home')];
  const file = join(project, 'a.ts');
  writeFileSync(file, before);
  const savepoint = await openSavepoint({ project, home });
  const capture = await savepoint.captureBefore({
    sessionId: 'agent',
    messageId: 'prompt',
    paths: ['a.ts'],
  });
  writeFileSync(file, after);
  await savepoint.captureAfter(capture);
  const [checkpoint] = await savepoint.list({ messageId: 'prompt' });
  await savepoint.close();
  const server = spawn(process.execPath, [BIN, 'web', '--no-open', '--json'], {
    cwd: project,
    env: { ...process.env, SAVEPOINT_HOME: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(server.stdout)) {
    const { oneTimeUrl } = JSON.parse(line) as { oneTimeUrl: string };
    return { process: server, oneTimeUrl, place: `c/${checkpoint?.id}` };
  }
  throw new Error('savepoint web ended');
}

async function openOurs(browser: Browser, { oneTimeUrl, place }: Server): Promise<Page> {
  const page = await (await browser.newContext(WIDE)).newPage();
  await page.goto(oneTimeUrl);
  await page.waitForURL(/#\/p\/\w+$/);
  await page.goto(`${page.url()}/${place}`);
  await page.waitForSelector('section.file .fold');
  return page;
}

// A long diff is folded until somebody asks for it. The texts are fetched each time.
const OPEN_AND_FOLD = `async (lines) => {
  const fold = document.querySelector('section.file .fold');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isThere = () =>
    document.querySelectorAll('table.diff tr').length > lines &&
    document.querySelector('table.diff .code span[class^=hl-]') !== null;
  const begin = performance.now();
  fold.click();
  while (!isThere()) await frame();
  await frame();
  const elapsed = performance.now() - begin;
  fold.click();
  while (document.querySelector('table.diff') !== null) await frame();
  return elapsed;
}`;

/** A page with the library and nothing else, without a content security policy, which it could not be drawn under. */
async function serveEmptyPage(scratch: Scratch): Promise<{ url: string; close(): void }> {
  if (!existsSync(join(EMPTY_PAGE, 'node_modules'))) {
    const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', words, { cwd: EMPTY_PAGE, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const outDir = scratch.make('empty-page');
  await build({ root: EMPTY_PAGE, logLevel: 'error', configFile: false, build: { outDir } });
  const { PageFiles } = await import('../src/web/server/page-files.ts');
  const files = new PageFiles(outDir);
  const server = createServer((request, response) => {
    const file = files.find(request.url ?? '');
    response.writeHead(file === null ? 404 : 200, { 'content-type': file?.type ?? 'text/plain' });
    response.end(file?.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

async function startBrowser(): Promise<Browser> {
  const { default: chromiumBuild } = await import('@sparticuz/chromium');
  return chromium.launch({
    executablePath: await chromiumBuild.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    headless: true,
  });
}
