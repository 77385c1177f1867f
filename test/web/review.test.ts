import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { openSavepoint, storeDirectory } from '../../src/index.ts';
import type { Bed } from '../e2e/engine-bed.ts';
import { violationsIn } from './axe.ts';
import { PageBed, type PageOptions } from './page-bed.ts';

const lines = (...texts: string[]): string => texts.map((text) => `${text}\n`).join('');
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `const line${i + 1} = ${i + 1};`);

/** The lines of a file with some of them replaced, by their numbers. */
function withLines(count: number, changed: Readonly<Record<number, string>>): string {
  return lines(...numbered(count).map((line, i) => changed[i + 1] ?? line));
}

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let opened: PageBed;

afterEach(async () => {
  const { problems } = opened;
  await opened.close();
  expect(problems).toEqual([]);
});

/** The page of a project in which this happened. */
async function start(
  prepare: (bed: Bed) => Promise<unknown>,
  options: PageOptions = {},
): Promise<Page> {
  opened = await PageBed.open(async (bed) => void (await prepare(bed)), options);
  return opened.page;
}

/** A second project of the home, in which more has happened. */
async function longProject({ base, home }: Bed): Promise<void> {
  const project = join(base, 'other');
  mkdirSync(project);
  const savepoint = await openSavepoint({ project, home });
  for (let n = 0; n < 20; n += 1) await savepoint.checkpoint({ description: `save ${n}` });
  await savepoint.close();
}

async function visitCheckpoint(message: string): Promise<void> {
  const { project, bed } = opened;
  await opened.goTo({ view: 'checkpoint', project, id: await bed.idOf(message) });
}

async function visitRewind(message: string): Promise<void> {
  const { project, bed } = opened;
  await opened.goTo({ view: 'rewind', project, id: await bed.idOf(message), take: 'message' });
}

const apply = (page: Page) => page.getByRole('button', { name: /^(Take back|Undo) \d+ file/ });
const done = (page: Page) => page.getByRole('heading', { level: 1, name: /^Done\./ });

describe('one checkpoint', () => {
  it('shows the prompt, what was done, how surely, and the diff of each file', async () => {
    const page = await start(async (bed) => {
      bed.put('src/a.ts', withLines(30, {}));
      bed.put('old.md', '# Notes\n');
      await bed.savepoint.scan();
      const description = 'Double it\n\nand say <b>so</b>';
      const edit = () => {
        bed.put('src/a.ts', withLines(30, { 15: 'const line15 = 30; // </script>\u202e' }));
        rmSync(bed.at('old.md'));
      };
      await bed.tool('m1', ['src/a.ts', 'old.md'], edit, { toolCallId: 't1', description });
    });
    await visitCheckpoint('m1');
    await page.getByRole('heading', { level: 1, name: 'Double it' }).waitFor();
    await page.getByText('and say <b>so</b>').waitFor();
    const diff = page.getByRole('table', { name: 'Changes of src/a.ts' });
    await diff.getByText('added: const line15 = 30; // </script>\\u{202e}').waitFor();
    expect(await diff.locator('mark').allTextContents()).toContain('15');
    await diff.getByRole('button', { name: 'Show 11 unchanged lines' }).click();
    await diff.getByText('const line1 = 1;').first().waitFor();
    await page.getByRole('table', { name: 'Changes of old.md' }).getByText('# Notes').waitFor();
    const calls = page.getByRole('region', { name: 'What it did' });
    expect(await calls.getByText('exact').count()).toBe(2);
    expect(await violationsIn(page)).toEqual([]);
  });

  it('shows a diff side by side or unified, as the person chose before', async () => {
    const page = await start(async (bed) => {
      bed.put('a.ts', withLines(5, {}));
      await bed.write('m1', 'a.ts', withLines(5, { 3: 'changed' }));
    });
    await visitCheckpoint('m1');
    const diff = page.getByRole('table', { name: 'Changes of a.ts' });
    const row = (count: number) =>
      diff
        .getByRole('row')
        .filter({ hasText: 'changed' })
        .getByRole('cell')
        .nth(count - 1);
    const [isSplit, isUnified] = [/^diff split/, /^diff unified/];
    const looksLike = async (style: RegExp): Promise<void> => {
      await diff.waitFor();
      await expect.poll(() => diff.getAttribute('class')).toMatch(style);
    };
    await looksLike(isSplit);
    // The old and the new line are in one row, with a number each.
    await row(4).waitFor();
    await page.getByRole('button', { name: 'Unified' }).click();
    await looksLike(isUnified);
    await row(3).waitFor();
    expect(await row(4).count()).toBe(0);
    await page.reload();
    await looksLike(isUnified);
    await page.getByRole('button', { name: 'Side by side' }).click();
    await looksLike(isSplit);
  });

  it('shows a command while it runs, and after it what it changed and how surely', async () => {
    const call = { sessionId: 'agent', messageId: 'm1', toolCallId: 'toolu_1' };
    let id = '';
    const page = await start(async (bed) => {
      await bed.savepoint.scan();
      const request = { ...call, description: 'npm run generate' };
      id = (await bed.savepoint.openWindow(request)).id;
    });
    const { savepoint } = opened.bed;
    await visitCheckpoint('m1');
    const calls = page.getByRole('region', { name: 'What it did' });
    await calls.getByText('npm run generate').waitFor();
    await calls.getByText('running', { exact: true }).waitFor();
    await page.getByText('No change of a file is on record yet.').waitFor();
    expect(await violationsIn(page)).toEqual([]);
    opened.bed.put('made.ts', 'export {};\n');
    await savepoint.closeWindow(id);
    await calls.getByText('made.ts').waitFor();
    await calls.getByText('inferred', { exact: true }).waitFor();
    await calls.getByText('toolu_1', { exact: true }).waitFor();
    await page.getByRole('table', { name: 'Changes of made.ts' }).waitFor();
    expect(await calls.getByText('running', { exact: true }).count()).toBe(0);
    // Two commands of different agents at once: what changes then is shared.
    const mine = { ...call, messageId: 'm2', toolCallId: 'toolu_2' };
    const theirs = { sessionId: 'other', messageId: 'o1', toolCallId: 'toolu_3' };
    await savepoint.openWindow(theirs);
    id = (await savepoint.openWindow(mine)).id;
    opened.bed.put('whose.ts', 'export {};\n');
    await savepoint.closeWindow(id);
    await visitCheckpoint('m2');
    await calls.getByText('whose.ts').waitFor();
    await calls.getByText('shared', { exact: true }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
  });

  it('shows an image before and after, and says of other bytes how many there are', async () => {
    const page = await start(async (bed) => {
      bed.put('a.png', PIXEL);
      bed.put('b.bin', Buffer.from([0, 1, 2]));
      const edit = () => {
        bed.put('a.png', Buffer.concat([PIXEL, Buffer.from([0])]));
        bed.put('b.bin', Buffer.from([0, 1, 2, 3]));
      };
      await bed.tool('m1', ['a.png', 'b.bin'], edit);
    });
    await visitCheckpoint('m1');
    await page.getByText('1 × 1 pixels').first().waitFor();
    await page.getByRole('img', { name: 'a.png after' }).waitFor();
    await page.getByText('Not text: 3 bytes → 4 bytes.').waitFor();
  });

  it('shows an SVG as an image above the diff of its text, and nothing of it runs', async () => {
    const svg = (colour: string): string =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10">\n<script>top.ran = 1</script>\n<rect width="20" height="10" fill="${colour}"/>\n</svg>\n`;
    const page = await start(async (bed) => {
      bed.put('a.svg', svg('red'));
      await bed.write('m1', 'a.svg', svg('blue'));
    });
    const looksRight = async (): Promise<void> => {
      await page.getByText('20 × 10 pixels').nth(1).waitFor();
      for (const when of ['before', 'after']) {
        await page.getByRole('img', { name: `a.svg ${when}` }).waitFor();
      }
      expect(await page.evaluate('window.ran')).toBeUndefined();
    };
    await visitCheckpoint('m1');
    await looksRight();
    await page.getByRole('table', { name: 'Changes of a.svg' }).waitFor();
    await opened.goTo({ view: 'file', project: opened.project, path: 'a.svg' });
    await page.getByRole('button', { name: 'Show the change' }).click();
    await looksRight();
  });

  it('does not ask for an image that is too large', async () => {
    const page = await start(async (bed) => {
      await bed.reopen({ maxFileSize: 20 * 1024 * 1024 });
      await bed.write('m1', 'a.png', Buffer.concat([PIXEL, Buffer.alloc(17 * 1024 * 1024)]));
    });
    await visitCheckpoint('m1');
    await page.getByText('Too large to be shown here.').waitFor();
  });
});

describe('a rewind', () => {
  it('takes back one file of a prompt, and undoes that', async () => {
    const page = await start(async (bed) => {
      for (const path of ['a.txt', 'b.txt']) bed.put(path, 'before\n');
      const edit = () => {
        for (const path of ['a.txt', 'b.txt']) bed.put(path, 'after\n');
      };
      await bed.tool('m1', ['a.txt', 'b.txt'], edit);
    });
    const { bed } = opened;
    await visitCheckpoint('m1');
    await page.getByRole('link', { name: 'Take back a.txt' }).click();
    await apply(page).click();
    await done(page).waitFor();
    expect(bed.text('a.txt')).toBe('before\n');
    expect(bed.text('b.txt')).toBe('after\n');
    await page.getByRole('banner').getByRole('link', { name: 'Undo' }).click();
    await page.getByRole('heading', { level: 1, name: /^Undo/ }).waitFor();
    await apply(page).click();
    await done(page).waitFor();
    expect(bed.text('a.txt')).toBe('after\n');
  });

  it.each(['checkpoint', 'file'] as const)(
    'brings a renamed file back under its old name from the view of the %s, and undoes that',
    async (view) => {
      const page = await start(async (bed) => {
        bed.put('old.txt', 'the text\n');
        await bed.tool('m1', ['old.txt', 'new.txt'], () =>
          renameSync(bed.at('old.txt'), bed.at('new.txt')),
        );
      });
      const { bed, project } = opened;
      const names = (): string[] => Object.keys(bed.tree());
      if (view === 'checkpoint') await visitCheckpoint('m1');
      else await opened.goTo({ view, project, path: 'new.txt' });
      await page.getByRole('link', { name: /^Take back( new.txt)?$/ }).click();
      await apply(page).click();
      await done(page).waitFor();
      expect(names()).toEqual(['old.txt']);
      expect(bed.text('old.txt')).toBe('the text\n');
      await page.getByRole('banner').getByRole('link', { name: 'Undo' }).click();
      await page.getByRole('heading', { level: 1, name: /^Undo/ }).waitFor();
      await apply(page).click();
      await done(page).waitFor();
      expect(names()).toEqual(['new.txt']);
    },
  );

  it('keeps Undo at the top while another project is shown and after a reload, until the next thing happens', async () => {
    const page = await start(async (bed) => {
      await bed.write('m1', 'a.txt', 'agent\n');
      await longProject(bed);
    });
    const { bed, project } = opened;
    await visitRewind('m1');
    await apply(page).click();
    await done(page).waitFor();
    const undo = page.getByRole('banner').getByRole('link', { name: 'Undo' });
    const other = basename(storeDirectory(bed.home, join(bed.base, 'other')));
    await opened.goTo({ view: 'timeline', project: other });
    await page.locator('.entry').first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const another = await openSavepoint({ project: join(bed.base, 'other'), home: bed.home });
    await another.checkpoint({ description: 'in the other one' });
    await another.close();
    await page.locator('.entry', { hasText: 'in the other one' }).waitFor();
    expect(await undo.count()).toBe(1);
    await opened.goTo({ view: 'timeline', project });
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await undo.waitFor();
    await bed.savepoint.checkpoint({ description: 'the next thing' });
    await page.locator('.entry', { hasText: 'the next thing' }).waitFor();
    await undo.waitFor({ state: 'detached' });
  });

  it('leaves out a file that is not ticked, by keyboard alone', async () => {
    const page = await start(async (bed) => {
      for (const path of ['a.txt', 'b.txt']) await bed.write('m1', path, 'agent\n');
    });
    await visitRewind('m1');
    await page.getByRole('checkbox', { name: 'Take back b.txt' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('You left it out: it stays as it is.').waitFor();
    const button = page.getByRole('button', { name: 'Take back 1 file' });
    await button.focus();
    await page.keyboard.press('Enter');
    await done(page).waitFor();
    expect(opened.bed.tree()).not.toHaveProperty(['a.txt']);
    expect(opened.bed.text('b.txt')).toBe('agent\n');
  });

  it('takes back one place of a file, keeps what the person wrote, and undoes that', async () => {
    const agents = { 5: 'agent five', 20: 'agent twenty', 35: 'agent thirty-five' };
    const mine = { ...agents, 12: 'later', 28: 'mine' };
    const page = await start(async (bed) => {
      bed.put('a.ts', withLines(40, {}));
      await bed.write('m1', 'a.ts', withLines(40, agents));
      bed.put('a.ts', withLines(40, { ...agents, 28: 'mine' }));
      // A later prompt of the agent stays as well, and is not the person's.
      await bed.write('m2', 'a.ts', withLines(40, mine));
    });
    const { bed } = opened;
    await visitRewind('m1');
    await page.getByText('What you wrote yourself stays.').waitFor();
    await page.getByText('1 line of yours').waitFor();
    const yours = page.getByRole('table', { name: 'Your lines 28 to 28 of a.ts' });
    await yours.getByText('mine').first().waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole('checkbox', { name: /^Place 1 of 3/ }).uncheck();
    await page.getByText('2 of 3 places').waitFor();
    await page.getByRole('checkbox', { name: /^Place 3 of 3/ }).uncheck();
    await page.getByText('1 of 3 places').waitFor();
    await page.getByText('1 line of yours').waitFor();
    await apply(page).click();
    await done(page).waitFor();
    expect(bed.text('a.ts')).toBe(withLines(40, { ...mine, 20: 'const line20 = 20;' }));
    await page.getByRole('link', { name: 'Undo this' }).click();
    await page.getByRole('heading', { level: 1, name: /^Undo/ }).waitFor();
    await apply(page).click();
    await done(page).waitFor();
    expect(bed.text('a.ts')).toBe(withLines(40, mine));
  });

  it('asks about a place that both changed, and writes what the person decided', async () => {
    const page = await start(async (bed) => {
      bed.put('a.ts', withLines(30, {}));
      await bed.write('m1', 'a.ts', withLines(30, { 10: 'agent', 25: 'agent too' }));
      bed.put('a.ts', withLines(30, { 10: 'mine', 25: 'agent too' }));
    });
    const { bed } = opened;
    await visitRewind('m1');
    await page.getByText('1 conflict to decide first').waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole('radio', { name: 'Edit' }).check();
    await page.getByRole('textbox').fill('both of us\n');
    const result = page.getByRole('table', { name: /^What happens to a.ts/ });
    await result.getByText('added: both of us').waitFor();
    await apply(page).click();
    await done(page).waitFor();
    expect(bed.text('a.ts')).toBe(withLines(30, { 10: 'both of us' }));
    await page.getByRole('link', { name: 'Undo this' }).click();
    await page.getByRole('heading', { level: 1, name: /^Undo/ }).waitFor();
    await apply(page).click();
    await done(page).waitFor();
    expect(bed.text('a.ts')).toBe(withLines(30, { 10: 'mine', 25: 'agent too' }));
  });

  it.each([
    ['Mine', { 10: 'mine' }],
    ["The rewind's", {}],
    ['Both', { 10: 'mine\nconst line10 = 10;' }],
  ])('writes %s at the place of a conflict, and merges the rest', async (way, left) => {
    const page = await start(async (bed) => {
      bed.put('a.ts', withLines(30, {}));
      await bed.write('m1', 'a.ts', withLines(30, { 10: 'agent', 25: 'agent too' }));
      bed.put('a.ts', withLines(30, { 10: 'mine', 25: 'agent too' }));
    });
    const { bed } = opened;
    await visitRewind('m1');
    await page.getByRole('radio', { name: way, exact: true }).check();
    await page.getByText('1 conflict to decide first').waitFor({ state: 'detached' });
    await apply(page).click();
    await done(page).waitFor();
    expect(bed.text('a.ts')).toBe(withLines(30, left));
    await page.getByRole('link', { name: 'Undo this' }).click();
    await page.getByRole('heading', { level: 1, name: /^Undo/ }).waitFor();
    await apply(page).click();
    await done(page).waitFor();
    expect(bed.text('a.ts')).toBe(withLines(30, { 10: 'mine', 25: 'agent too' }));
  });

  it('does nothing with a plan that is stale, and shows the new one', async () => {
    const page = await start(async (bed) => {
      bed.put('a.ts', withLines(30, {}));
      await bed.write('m1', 'a.ts', withLines(30, { 10: 'agent' }));
    });
    const { bed } = opened;
    await visitRewind('m1');
    await apply(page).waitFor();
    bed.put('a.ts', withLines(30, { 10: 'agent', 20: 'mine' }));
    await apply(page).click();
    await page.getByText('Files changed after this plan was made.').waitFor();
    expect(bed.text('a.ts')).toBe(withLines(30, { 10: 'agent', 20: 'mine' }));
    await page.getByText('What you wrote yourself stays.').waitFor();
    await apply(page).click();
    await done(page).waitFor();
    expect(bed.text('a.ts')).toBe(withLines(30, { 20: 'mine' }));
    // The browser tells of the answer that refused the stale plan.
    expect(opened.problems.splice(0).filter((one) => !one.includes('409'))).toEqual([]);
  });
});

describe('one file', () => {
  it('shows its life, and for each line the prompt that wrote it', async () => {
    const both = lines('const old = 1;', 'const added = 2;');
    const page = await start(async (bed) => {
      bed.put('a.ts', lines('const old = 1;'));
      const description = 'Add a line';
      await bed.tool('m1', ['a.ts'], () => bed.put('a.ts', both), { description });
      bed.put('a.ts', both + lines('const mine = 3;'));
      await bed.savepoint.scan();
    });
    await opened.goTo({ view: 'file', project: opened.project, path: 'a.ts' });
    const table = page.getByRole('table', { name: /Lines of the file/ });
    const row = (text: string) => table.getByRole('row').filter({ hasText: text });
    await row('const added = 2;').getByRole('link', { name: 'Add a line' }).waitFor();
    await row('const old = 1;').getByText('Before Savepoint').waitFor();
    await row('const mine = 3;').getByText('You').waitFor();
    const life = page.getByRole('region', { name: 'Its life' });
    await life.getByRole('button', { name: 'Show the change' }).first().click();
    await life.getByText('added: const mine = 3;').waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await row('const added = 2;').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Add a line' }).waitFor();
  });
});

const isCampaign = process.env.SAVEPOINT_CAMPAIGNS !== undefined;
const LOOKS: readonly PageOptions[] = [
  { width: 360, colorScheme: 'dark' },
  ...(isCampaign
    ? ([
        { width: 360, colorScheme: 'light' },
        { width: 2560, colorScheme: 'light' },
        { width: 2560, colorScheme: 'dark' },
      ] as const)
    : []),
];

describe.each(LOOKS)('at $width pixels, $colorScheme', (look) => {
  it('has nothing that axe finds wrong, and nothing is wider than the window', async () => {
    const long = `const text = '${'long '.repeat(80)}';`;
    const page = await start(async (bed) => {
      bed.put('src/a.ts', withLines(30, {}));
      bed.put('src/b.ts', withLines(30, {}));
      const edit = () => {
        bed.put('src/a.ts', withLines(30, { 10: 'agent', 20: long }));
        bed.put('src/b.ts', withLines(30, { 5: long }));
      };
      await bed.tool('m1', ['src/a.ts', 'src/b.ts'], edit, { description: long });
      bed.put('src/a.ts', withLines(30, { 10: 'mine', 20: long }));
      bed.put('src/b.ts', withLines(30, { 5: long, 25: 'mine too' }));
    }, look);
    const { project } = opened;
    const check = async (): Promise<void> => {
      expect(await violationsIn(page)).toEqual([]);
      const widths = '[document.documentElement, document.querySelector("main")]';
      const beyond = `${widths}.map((one) => one.scrollWidth - one.clientWidth)`;
      expect(await page.evaluate(beyond)).toEqual([0, 0]);
    };
    await visitCheckpoint('m1');
    await page.getByRole('table', { name: 'Changes of src/b.ts' }).waitFor();
    await check();
    await visitRewind('m1');
    await page.getByRole('radio', { name: 'Both' }).check();
    await page.getByText('yours', { exact: true }).last().waitFor();
    await check();
    await opened.goTo({ view: 'file', project, path: 'src/a.ts', line: 20 });
    await page.getByText('Before Savepoint').first().waitFor();
    await check();
  });
});
