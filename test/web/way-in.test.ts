import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RedirectFile, type WebServer } from '../../src/web/server/index.ts';
import { type Bed, makeBed } from '../e2e/engine-bed.ts';
import { sharedPage } from '../setup/shared-page.ts';
import { redeem, startServer } from './web-bed.ts';

let bed: Bed;
let server: WebServer;
beforeEach(async () => {
  const { folder } = await sharedPage();
  bed = await makeBed();
  await bed.write('m1', 'a', 'one\n');
  server = await startServer(bed, { page: folder });
});
afterEach(async () => {
  await server.close();
  await bed.remove();
});

/** What a page of another port of this machine tries, with a key that it has somehow got. */
const ATTACK = `
  const [target, key] = location.hash.slice(1).split('|');
  const api = target + 'api/projects';
  const tries = {
    read: () => fetch(api, { headers: { 'x-savepoint-key': key } }).then((r) => r.text()),
    blind: () => fetch(api, { mode: 'no-cors' }).then((r) => r.text()),
    post: () => fetch(target + 'api/key', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }).then((r) => r.text()),
    script: () => new Promise((resolve, reject) => {
      const one = document.createElement('script');
      one.src = api; one.onload = () => resolve('ran'); one.onerror = () => reject(new Error('refused'));
      document.head.append(one);
    }),
    image: () => new Promise((resolve, reject) => {
      const one = new Image(); one.onload = () => resolve('shown'); one.onerror = () => reject(new Error('refused'));
      one.src = target + 'icon.svg';
    }),
  };
  const done = {};
  for (const [name, attempt] of Object.entries(tries)) done[name] = await attempt().catch(() => null);
  const frame = document.createElement('iframe');
  frame.src = target;
  document.body.append(frame);
  await new Promise((resolve) => { frame.onload = resolve; });
  done.frames = frame.contentDocument === null ? 'foreign' : frame.contentDocument.title;
  window.done = done;
`;

describe('the way into the page', () => {
  it('leads from the private file to the page, once', async () => {
    const { browser } = await sharedPage();
    const context = await browser.newContext();
    const page = await context.newPage();
    const file = new RedirectFile(bed.home);
    const address = pathToFileURL(file.write(server.oneTimeUrl())).href;
    await page.goto(address);
    await page.waitForURL(`${server.url}**`);
    await page.waitForFunction(() => localStorage.getItem('savepoint.key') !== null);
    expect(page.url()).not.toContain('token');
    // Somebody who finds the file later finds nothing in it.
    const stranger = await (await browser.newContext()).newPage();
    const refused = stranger.waitForResponse((response) => response.url().endsWith('/api/key'));
    await stranger.goto(address);
    expect((await refused).status()).toBe(401);
    file.remove();
    await stranger.context().close();
    await context.close();
  });

  it('shows all projects to who is in none of them', async () => {
    const { browser } = await sharedPage();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(server.oneTimeUrl());
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await context.close();
  });

  it('is closed to pages of other ports of this machine', async () => {
    const { browser } = await sharedPage();
    const evil = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><body><script type="module">${ATTACK}</script>`);
    }).listen(0, '127.0.0.1');
    await once(evil, 'listening');
    const { port } = evil.address() as AddressInfo;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/#${server.url}|${await redeem(server)}`);
    await page.waitForFunction(() => 'done' in window);
    const done = await page.evaluate(() => (window as unknown as { done: object }).done);
    const nothing = { read: null, post: null, script: null, image: null };
    expect(done).toMatchObject({ ...nothing, frames: 'foreign' });
    // A request without CORS is answered with nothing that can be read.
    expect(done).toMatchObject({ blind: expect.toBeOneOf(['', null]) });
    await context.close();
    evil.closeAllConnections();
    evil.close();
  });
});
