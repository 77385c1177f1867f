import { basename } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { storeDirectory } from '../../src/index.ts';
import { linkTo, type Route } from '../../src/web/page/app/routes.ts';
import { startWebServer, type WebServer } from '../../src/web/server/index.ts';
import { type Bed, makeBed } from '../e2e/engine-bed.ts';
import { sharedPage } from '../setup/shared-page.ts';

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** A project, the server of its page in this process, and the page in a real browser. */
export class PageBed {
  readonly bed: Bed;
  /** The id of the project in addresses. */
  readonly project: string;
  readonly server: WebServer;
  readonly page: Page;
  /** What the browser refused or the page threw, and requests to anywhere else. Each test expects none. */
  readonly problems: string[] = [];
  readonly #context: BrowserContext;

  private constructor(bed: Bed, server: WebServer, context: BrowserContext, page: Page) {
    this.bed = bed;
    this.project = projectId(bed);
    this.server = server;
    this.#context = context;
    this.page = page;
    page.on('pageerror', (error) => this.problems.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.problems.push(`${response.status()} ${response.url()}`);
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(server.url) && !url.startsWith('blob:')) this.problems.push(url);
    });
  }

  /** Opens the page as `savepoint web` does, after `prepare` has put something on record. */
  static async open(
    prepare: (bed: Bed) => Promise<void>,
    { width = 1280, height = 800, colorScheme = 'light' }: PageOptions = {},
  ): Promise<PageBed> {
    const { folder, browser } = await sharedPage();
    const bed = await makeBed();
    await prepare(bed);
    const server = await startWebServer({
      page: folder,
      home: bed.home,
      version: '1.2.3',
      here: projectId(bed),
      optionsFor: () => ({}),
      settingsOf: () => ({ settings: SETTINGS, problems: [] }),
    });
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const opened = new PageBed(bed, server, context, page);
    await page.goto(server.oneTimeUrl());
    await page.waitForSelector('main h1');
    return opened;
  }

  /** As a link does. */
  async goTo(route: Route): Promise<void> {
    await this.page.goto(`${this.server.url}${linkTo(route)}`);
    await this.page.waitForSelector('main h1');
  }

  async close(): Promise<void> {
    await this.#context.close();
    await this.server.close();
    await this.bed.remove();
  }
}

const SETTINGS = [
  {
    key: 'retention.days',
    value: '30',
    origin: 'default',
    source: null,
    summary: 'Days for which checkpoints are kept.',
  },
] as const;

function projectId(bed: Bed): string {
  return basename(storeDirectory(bed.home, bed.root));
}
