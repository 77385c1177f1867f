import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import chromiumBuild from '@sparticuz/chromium';
import { type Browser, chromium, type Page } from 'playwright-core';
import { openSavepoint, storeDirectory } from '../src/index.ts';
import { linkTo, type Route } from '../src/web/page/app/routes.ts';
import { startWebServer } from '../src/web/server/index.ts';
import { inCheckout } from './bundle-inputs.ts';
import { tellPageStory } from './page-story.ts';

const SIZE = { width: 1180, height: 660 };

/** The main views of the page, as files of `docs/pictures/`. They are for people, and compared by eye. */
const VIEWS: readonly {
  readonly file: string;
  readonly theme: 'light' | 'dark';
  readonly at: (known: Known) => Route;
  readonly act: (page: Page) => Promise<void>;
}[] = [
  {
    file: 'page-timeline.png',
    theme: 'light',
    at: ({ project }) => ({ view: 'timeline', project }),
    act: async (page) => {
      await page.locator('.entry .lines .good').first().waitFor();
      for (const key of ['j', 'j', 'j']) await page.keyboard.press(key);
    },
  },
  {
    file: 'page-checkpoint.png',
    theme: 'dark',
    at: ({ project, last }) => ({ view: 'checkpoint', project, id: last }),
    act: async (page) => {
      await page.locator('table.diff, .diff table, .diff').first().waitFor();
    },
  },
  {
    file: 'page-rewind.png',
    theme: 'light',
    at: ({ project, before }) => ({ view: 'rewind', project, id: before }),
    act: async (page) => {
      await page.getByText('What you wrote yourself stays').waitFor();
    },
  },
  {
    file: 'page-file.png',
    theme: 'light',
    at: ({ project }) => ({ view: 'file', project, path: 'src/cart.ts' }),
    act: async (page) => {
      await page.getByText('discount').first().waitFor();
    },
  },
  {
    file: 'page-executions.png',
    theme: 'dark',
    at: ({ project }) => ({
      view: 'executions',
      project,
      execution: { kind: 'steps', id: 'monthly-invoices' },
    }),
    act: async (page) => {
      await page.locator('.tree').waitFor();
    },
  },
];

interface Known {
  readonly project: string;
  /** The newest prompt, and the one before it. */
  readonly last: string;
  readonly before: string;
}

/** Draws them: the real page of a real project in a real browser. `npm run build` first. */
export async function recordPage(): Promise<void> {
  const folder = realpathSync(mkdtempSync('/tmp/savepoint-page-'));
  const root = join(folder, 'shop');
  const home = join(folder, 'home');
  await tellPageStory(root, home);
  const project = basename(storeDirectory(home, root));
  const server = await startWebServer({
    page: inCheckout('dist/web'),
    home,
    version: '0.1.0',
    here: project,
    optionsFor: () => ({}),
    settingsOf: () => ({ settings: [], problems: [] }),
  });
  const browser = await chromium.launch({
    executablePath: await chromiumBuild.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  });
  try {
    const known = { project, ...(await newestPrompts(root, home)) };
    for (const view of VIEWS) await draw(browser, server, view, known);
  } finally {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function draw(
  browser: Browser,
  server: { readonly url: string; oneTimeUrl(): string },
  view: (typeof VIEWS)[number],
  known: Known,
): Promise<void> {
  const place = { locale: 'en-GB', timezoneId: 'UTC', viewport: SIZE };
  const page = await browser.newPage({
    ...place,
    colorScheme: view.theme,
    reducedMotion: 'reduce',
  });
  await page.goto(server.oneTimeUrl());
  await page.waitForSelector('.entry');
  await page.goto(`${server.url}${linkTo(view.at(known))}`);
  await view.act(page);
  // Colours of source text come a moment later.
  await page.waitForTimeout(600);
  await page.screenshot({ path: inCheckout(join('docs/pictures', view.file)) });
  await page.close();
}

async function newestPrompts(root: string, home: string): Promise<Omit<Known, 'project'>> {
  const savepoint = await openSavepoint({ project: root, home });
  const [last, before] = await savepoint.list({ sessionIds: ['claude-2'] });
  await savepoint.close();
  if (last === undefined || before === undefined) throw new Error('the story is too short');
  return { last: last.id, before: before.id };
}
