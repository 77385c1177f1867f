import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { storeDirectory } from '../../src/index.ts';
import {
  startWebServer,
  type WebServer,
  type WebServerOptions,
} from '../../src/web/server/index.ts';
import { type Bed, makeBed } from '../e2e/engine-bed.ts';

/** A project on record, and a server of it with a small page. */
export class WebBed {
  readonly bed: Bed;
  readonly server: WebServer;
  readonly key: string;
  /** The id of the project. */
  readonly id: string;

  constructor(bed: Bed, server: WebServer, key: string) {
    this.bed = bed;
    this.server = server;
    this.key = key;
    this.id = basename(storeDirectory(bed.home, bed.root));
  }

  get host(): string {
    return `127.0.0.1:${this.server.port}`;
  }

  /** What the page sends with each request. */
  headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { 'x-savepoint-key': this.key, ...more };
  }

  /** Below `/api/projects/ID/`. */
  async get<T>(path: string, status = 200): Promise<T> {
    return answered(await fetch(this.at(path), { headers: this.headers() }), status);
  }

  async post<T>(path: string, body: unknown, status = 200): Promise<T> {
    const headers = this.headers({
      origin: `http://${this.host}`,
      'content-type': 'application/json',
    });
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    return answered(await fetch(this.at(path), request), status);
  }

  at(path: string): string {
    return `${this.server.url}api/projects/${this.id}/${path}`;
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.bed.remove();
  }
}

async function answered<T>(response: Response, status: number): Promise<T> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

export async function makeWebBed(more: Partial<WebServerOptions> = {}): Promise<WebBed> {
  const bed = await makeBed();
  const server = await startServer(bed, more);
  return new WebBed(bed, server, await redeem(server));
}

export async function startServer(
  { base, home }: Bed,
  more: Partial<WebServerOptions> = {},
): Promise<WebServer> {
  const page = join(base, 'page');
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>Savepoint</title>');
  writeFileSync(join(page, 'assets', 'main.js'), 'document.title;');
  return startWebServer({
    page,
    home,
    version: '0.0.0',
    here: null,
    optionsFor: () => ({}),
    settingsOf: () => ({ settings: [], problems: [] }),
    ...more,
  });
}

/** The key of a server, as the page gets it. */
export async function redeem(server: WebServer): Promise<string> {
  const [, token = ''] = server.oneTimeUrl().split('#token=');
  const response = await fetch(`${server.url}api/key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url.slice(0, -1) },
    body: JSON.stringify({ token }),
  });
  return ((await response.json()) as { key: string }).key;
}
