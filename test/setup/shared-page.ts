import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser, BrowserServer } from 'playwright-core';
import { inject } from 'vitest';
import { inCheckout } from '../../scripts/bundle-inputs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The socket at which the page and the browser of this run are asked for. */
    readonly page: string;
  }
}

/** What `savepoint web` serves, and a browser to look at it. */
export interface SharedPage {
  /** The folder of the built page. */
  readonly folder: string;
  readonly browser: Browser;
}

/**
 * Builds the page and starts one browser for all tests of a run when the first one asks for them. It listens on a
 * socket, since tests run in other processes.
 */
export async function offerPage(socket: string, folder: string): Promise<() => Promise<void>> {
  let server: Promise<BrowserServer> | null = null;
  const page = join(folder, 'dist', 'web');
  const start = async () => {
    await buildPage(page);
    return startBrowser();
  };
  const door = createServer((connection) => {
    connection.on('error', () => {});
    server ??= start();
    server.then(
      (browser) => connection.end(`ready ${browser.wsEndpoint()}`),
      (error) => connection.end(`failed: ${error}`),
    );
  }).listen(socket);
  await once(door, 'listening');
  return async () => {
    door.close();
    await (await server?.catch(() => null))?.close();
  };
}

// Most runs need no browser: its packages are loaded when somebody asks for it.

export async function buildPage(outDir: string): Promise<void> {
  const { build } = await import('vite');
  const configFile = inCheckout('scripts/vite.config.ts');
  await build({ configFile, logLevel: 'error', build: { outDir } });
}

/** Chromium as an npm package brings it: no display, no sandbox (tests may run as root), no other process tree. */
async function startBrowser(): Promise<BrowserServer> {
  const { chromium } = await import('playwright-core');
  const { default: chromiumBuild } = await import('@sparticuz/chromium');
  return chromium.launchServer({
    executablePath: await chromiumBuild.executablePath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--font-render-hinting=none',
    ],
    headless: true,
  });
}

const CONNECTED: { shared: Promise<SharedPage> | null } = { shared: null };

/** The page and the browser of this run. */
export function sharedPage(): Promise<SharedPage> {
  CONNECTED.shared ??= connect();
  return CONNECTED.shared;
}

async function connect(): Promise<SharedPage> {
  const [state, address = ''] = (await text(createConnection(inject('page')))).split(' ');
  if (state !== 'ready') throw new Error(`${state} ${address}`);
  const { chromium } = await import('playwright-core');
  return { folder: join(inject('built'), 'dist', 'web'), browser: await chromium.connect(address) };
}
