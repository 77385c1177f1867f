import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { FIRST_VIEW_BYTES, firstViewBytes, firstViewScripts } from '../../scripts/page-size.ts';
import { type CheckpointId, sqliteStore, storeDirectory } from '../../src/index.ts';
import { makeCheckpoint } from '../../src/model/checkpoint.ts';
import type { LinesAnswer, LinesRequest, TimelineAnswer } from '../../src/web/api.ts';
import type { Bed } from '../e2e/engine-bed.ts';
import { builtCommand } from '../setup/built.ts';
import { sharedPage } from '../setup/shared-page.ts';
import { PageBed } from './page-bed.ts';
import { tellStory } from './story.ts';

let opened: PageBed;

function openedBefore(prepare: (bed: Bed) => Promise<void>): void {
  beforeAll(async () => {
    opened = await PageBed.open(prepare);
  });

  beforeEach(async () => {
    await opened.goTo({ view: 'store' });
    await opened.goTo({ view: 'timeline', project: opened.project });
    await opened.page.locator('.entry').first().waitFor();
  });

  afterEach(() => {
    expect(opened.problems).toEqual([]);
  });

  afterAll(async () => {
    await opened.close();
  });
}

describe('the timeline in a browser', () => {
  openedBefore(tellStory);

  it('opens at the project in which the command was typed, with its prompts and what was taken back', async () => {
    const { page } = opened;
    await page.getByRole('link', { name: 'Fix the redirect after login' }).waitFor();
    const rows = await page.locator('.entry').allInnerTexts();
    expect(rows.find((row) => /Claude Code\s+Format everything/.test(row))).toContain('taken back');
    expect(rows.find((row) => row.includes('before the upgrade'))).toContain('v1');
    expect(rows.some((row) => row.includes('took back 1 checkpoint'))).toBe(true);
    // The mark of the prompt that was taken back is hollow, and an arc leads to it.
    await page.locator('.mark.taken-back-yes').waitFor();
    await page.locator('.arc').waitFor({ state: 'attached' });
    expect(await page.locator('.chart').innerHTML()).not.toContain('\u202e');
  });

  it('loads less than 200 KB of script, compressed, before it shows the timeline', async () => {
    const { page, server } = opened;
    const loaded = new Set<string>();
    page.on('request', (request) => loaded.add(new URL(request.url()).pathname));
    await page.goto(server.oneTimeUrl());
    await page.reload();
    await page.locator('.entry').first().waitFor();
    const { folder } = await sharedPage();
    const scripts = [...loaded].filter((path) => path.endsWith('.js')).sort();
    const expected = firstViewScripts(folder).map((name) => `/assets/${name}`);
    expect(scripts).toEqual(expected.sort());
    expect(firstViewBytes(folder)).toBeLessThan(FIRST_VIEW_BYTES);
  });

  it('comes with the licences of the packages that it is built of', async () => {
    const { folder } = await sharedPage();
    const text = readFileSync(join(folder, 'THIRD-PARTY.md'), 'utf8');
    for (const name of ['preact', '@preact/signals', '@preact/signals-core', 'highlight.js']) {
      expect(text).toMatch(new RegExp(`^## ${name} \\d`, 'm'));
    }
    expect(text).toContain('Redistributions in binary form must reproduce');
  });

  it('is in the package that is published', async () => {
    await sharedPage();
    const words = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', words, { cwd: inject('built') });
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths).toContain('dist/web/index.html');
    expect(paths).toContain('dist/web/THIRD-PARTY.md');
    expect(paths).toContain('dist/cli/main.js');
  });

  it('finds a prompt by / and opens it with the keyboard alone', async () => {
    const { page, project, bed } = opened;
    await page.keyboard.press('/');
    await page.keyboard.type('login kind:prompt');
    await page.getByText('2 entries', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key);
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'))
      .toContain('Add a page for login');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(`#/p/${project}/c/${await bed.idOf('m1')}`);
    await page.goBack();
    await expect.poll(() => page.getByLabel('Filter the timeline').inputValue()).toContain('login');
  });

  it('leaves Enter to the link or button that has the focus', async () => {
    const { page, project } = opened;
    await page.getByRole('link', { name: 'before the upgrade' }).focus();
    await page.locator('.entry.selected').waitFor();
    await page.getByRole('button', { name: /^Keys/ }).focus();
    await page.keyboard.press('Enter');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    const places = page.getByRole('navigation', { name: 'Projects' });
    await places.getByRole('link', { name: 'Timeline' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Executions' }).waitFor();
    expect(page.url()).toContain(`#/p/${project}/executions`);
  });

  it('filters by path and by agent', async () => {
    const { page } = opened;
    await page.getByLabel('Filter the timeline').fill('path:src/login.ts');
    await page.getByText('2 entries', { exact: true }).waitFor();
    expect(await page.locator('.entry', { hasText: 'Claude Code' }).count()).toBe(2);
    await page.getByLabel('Filter the timeline').fill('');
    await page.getByRole('button', { name: 'Codex' }).click();
    await page.getByText('1 entry', { exact: true }).waitFor();
    expect(await page.locator('.entry').innerText()).toContain('Explain the build');
  });

  it('goes on with older checkpoints when the server has looked at a part for a filter', async () => {
    const { page } = opened;
    await page.route('**/timeline?*', async (route) => {
      const url = new URL(route.request().url());
      const isFirst = !url.searchParams.has('before');
      url.searchParams.delete('before');
      const response = await route.fetch({ url: `${url}` });
      const answer = (await response.json()) as TimelineAnswer;
      const json = isFirst ? { ...answer, points: [], next: answer.seq + 1 } : answer;
      await route.fulfill({ response, json });
    });
    await page.getByLabel('Filter the timeline').fill('path:src/login.ts');
    await page.getByText('2 entries', { exact: true }).waitFor();
    await page.unroute('**/timeline?*');
  });

  it('shows a command of another process as running, and what it did, without a reload', async () => {
    const { page, bed } = opened;
    await page.getByText('Live', { exact: true }).waitFor();
    const script = 'echo made > made.txt; cat > /dev/null';
    const words = [builtCommand(), 'run', '--', 'sh', '-c', script];
    const child = spawn(process.execPath, words, {
      cwd: bed.root,
      env: { PATH: process.env.PATH, HOME: bed.base, SAVEPOINT_HOME: bed.home },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(child, 'exit');
    try {
      await page.getByRole('list', { name: 'Running now' }).getByText(script).waitFor();
    } finally {
      child.stdin.end();
      await ended;
    }
    await page.getByRole('list', { name: 'Running now' }).waitFor({ state: 'detached' });
    const row = page.locator('.entry', { hasText: 'savepoint run' });
    await expect.poll(() => row.innerText()).toContain('1 file');
  });

  it('hears what happens in a browser that cannot iterate over a stream, as Safari', async () => {
    const page = await opened.page.context().newPage();
    await page.addInitScript('delete ReadableStream.prototype[Symbol.asyncIterator]');
    await page.goto(opened.page.url());
    await page.locator('.entry').first().waitFor();
    await opened.bed.savepoint.checkpoint({ description: 'while Safari looks' });
    await page.locator('.entry', { hasText: 'while Safari looks' }).waitFor();
    await page.close();
  });

  it('counts the lines of a prompt anew while its agent goes on', async () => {
    const { page, bed } = opened;
    await page.getByText('Live', { exact: true }).waitFor();
    const session = { sessionId: 'agent', agent: 'claude-code' };
    await bed.savepoint.checkpoint({ ...session, messageId: 'm9', description: 'Write a poem' });
    const row = page.locator('.entry', { hasText: 'Write a poem' });
    await bed.write('m9', 'poem.txt', 'one\n');
    await expect.poll(() => row.innerText()).toContain('+1');
    await bed.write('m9', 'poem.txt', 'one\ntwo\nthree\n');
    await expect.poll(() => row.innerText()).toContain('+3');
  });

  it('asks again for the lines that the server had no time to count', async () => {
    const { page, project } = opened;
    await page.route('**/lines', async (route) => {
      const { ids } = route.request().postDataJSON() as LinesRequest;
      const response = await route.fetch();
      const { lines } = (await response.json()) as LinesAnswer;
      const [first = ''] = ids;
      await route.fulfill({ response, json: { lines: { [first]: lines[first] } } });
    });
    await opened.goTo({ view: 'store' });
    await opened.goTo({ view: 'timeline', project });
    const lines = (title: string) =>
      page.locator('.entry', { hasText: title }).locator('.lines').innerText();
    await expect.poll(() => lines('Add a page for login')).toContain('+1');
    await expect.poll(() => lines('Write tests for the cart')).toContain('+2');
    await expect.poll(() => lines('Fix the redirect')).toContain('+2');
    await page.unroute('**/lines');
  });

  it('says how to get in when the key is of another server', async () => {
    const { page, problems } = opened;
    await page.evaluate("localStorage.setItem('savepoint.key', 'dummy')");
    await page.reload();
    await page.getByRole('heading', { name: 'left behind' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('savepoint web');
    // The browser tells of each answer 401.
    problems.length = 0;
  });
});

const FILLS =
  "[...document.querySelectorAll('.mark')].map((one) => [one.textContent, getComputedStyle(one).fill])";

describe('points of the timeline', () => {
  openedBefore(async (bed) => {
    const time = { now: Date.UTC(2026, 0, 1) };
    await bed.reopen({ now: () => time.now });
    const { savepoint } = bed;
    const prompt = async (agent: string, messageId: string, lines: number, isRun = false) => {
      time.now += 10 * 60_000;
      const session = { sessionId: `${agent}-1`, agent, messageId, isRun };
      await savepoint.checkpoint({ ...session, description: `prompt ${messageId}` });
      const work = () => bed.put(messageId, 'line\n'.repeat(lines));
      await bed.tool(messageId, [messageId], work, session);
    };
    await prompt('claude-code', 'small', 1);
    await prompt('claude-code', 'large', 400);
    await prompt('codex', 'other', 1);
    await prompt('run', 'command', 1, true);
    time.now += 10 * 60_000;
    await savepoint.checkpoint({ description: 'saved by hand' });
    time.now += 10 * 60_000;
    const run = await savepoint.execution('job');
    await run.step('the step', (context) => context.files.write('made', 'x\n'));
    await run.close();
  });

  it('have the colour of their agent, the size of their change, and a shape for their kind', async () => {
    const { page } = opened;
    const mark = (title: string) => page.locator('.mark').filter({ hasText: title });
    await mark('the step').waitFor();
    const fills = (await page.evaluate(FILLS)) as [title: string, fill: string][];
    const fill = (title: string) => fills.find(([text]) => text.includes(title))?.[1];
    const [claude, codex] = ['rgb(180, 83, 31)', 'rgb(27, 127, 107)'];
    expect([fill('prompt small'), fill('prompt large')]).toEqual([claude, claude]);
    expect(fill('prompt other')).toBe(codex);
    const radius = async (title: string) =>
      Number(await mark(title).locator('circle').getAttribute('r'));
    // Lines are counted after the timeline is shown.
    await expect.poll(() => radius('prompt large')).toBeGreaterThan(6);
    expect(await radius('prompt small')).toBeLessThan(4);
    expect(await mark('prompt command').locator('rect').count()).toBe(1);
    const path = (title: string) => mark(title).locator('path').getAttribute('d');
    const corners = async (title: string) => (await path(title))?.match(/[MLH]/g)?.length;
    expect(await corners('saved by hand')).toBe(3);
    expect(await corners('the step')).toBe(4);
  });
});

describe('ten thousand checkpoints in a browser', () => {
  openedBefore(manySessions(10_000));

  it('comes nearer and goes back by keys and buttons', async () => {
    const { page } = opened;
    await page.locator('.mark').first().waitFor();
    const whole = await page.locator('.mark').count();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('+');
    await expect.poll(() => page.locator('.mark').count()).toBeLessThan(whole);
    await page.getByRole('button', { name: 'All' }).click();
    await expect.poll(() => page.locator('.mark').count()).toBe(whole);
    // What is chosen with the keyboard comes into sight.
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('+');
    await page.keyboard.press('End');
    await expect
      .poll(async () => (await page.locator('.selected-time').boundingBox())?.x)
      .toBeGreaterThan(0);
  });

  it('comes nearer by dragging over the chart', async () => {
    const { page } = opened;
    const chart = page.locator('.chart svg');
    await page.locator('.mark').first().waitFor();
    const whole = await page.locator('.mark').count();
    const all = page.getByRole('button', { name: 'All', exact: true });
    expect(await all.isDisabled()).toBe(true);
    const { x, y, width } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(x + width * 0.5, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.55, y + 10, { steps: 3 });
    await page.locator('.chosen').waitFor();
    await page.mouse.up();
    await page.locator('.chosen').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.mark').count()).toBeLessThan(whole);
    await all.click();
    await expect.poll(() => page.locator('.mark').count()).toBe(whole);
  });

  it('keeps at most 300 rows in the document with ten thousand checkpoints', async () => {
    const { page } = opened;
    await page.getByText('10,000 entries').waitFor();
    expect(await page.locator('.entry').count()).toBeLessThanOrEqual(300);
    await page.locator('main').focus();
    await page.keyboard.press('End');
    await page.getByText('prompt 0', { exact: true }).waitFor();
    expect(await page.locator('.entry').count()).toBeLessThanOrEqual(300);
    expect(await page.locator('.mark').count()).toBeLessThanOrEqual(1500);
  });
});

const EACH_SESSION = 100;

/** Prompts of many sessions, one every four minutes. */
function manySessions(count: number): (bed: Bed) => Promise<void> {
  return async (bed) => {
    const start = Date.UTC(2026, 0, 1);
    const store = await sqliteStore({ directory: storeDirectory(bed.home, bed.root) });
    for (let first = 0; first < count; first += EACH_SESSION) {
      const { seq: base } = await store.state();
      const id = `session-${first}`;
      const times = { createdAt: start, lastActiveAt: start + first, archivedAt: null };
      const rest = { run: null, owner: null, told: null };
      const nth = Array.from(
        { length: Math.min(EACH_SESSION, count - first) },
        (_, at) => first + at,
      );
      await store.timeline.commit({
        base,
        sessions: [
          { id, rootId: id, agent: first % 300 === 0 ? 'codex' : 'pi', ...times, ...rest },
        ],
        checkpoints: nth.map((at) =>
          makeCheckpoint({
            id: at.toString().padStart(16, 'k') as CheckpointId,
            seq: base + 1 + at - first,
            kind: 'message',
            sessionId: id,
            messageId: `m${at}`,
            description: `prompt ${at}`,
            createdAt: start + at * 240_000,
          }),
        ),
      });
    }
    await store.close();
  };
}
