import { afterEach, describe, expect, it } from 'vitest';
import { openSavepoint } from '../../src/index.ts';
import { endHolder } from '../e2e/execution-bed.ts';
import { PageBed } from './page-bed.ts';
import { tellStory } from './story.ts';

let opened: PageBed | null = null;

afterEach(async () => {
  const problems = opened?.problems;
  await opened?.close();
  opened = null;
  expect(problems).toEqual([]);
});

describe('executions in a browser', () => {
  it('shows steps, state and effects, and rolls back after its plan was seen, with Undo until the next thing happens', async () => {
    opened = await PageBed.open(tellStory);
    const { page, project, bed } = opened;
    await opened.goTo({ view: 'executions', project });
    await page.getByRole('link', { name: 'notes-1' }).click();
    await page.getByText('cannot be undone: asked example.com for a page').waitFor();
    await page.getByText('state.written', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Roll back…' }).click();
    await page.getByText('Takes back 1 write').waitFor();
    expect(await page.locator('.act').innerText()).toContain('notes.md');
    expect(bed.text('notes.md')).toBe('the text\n');
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByRole('link', { name: 'Undo' }).waitFor();
    expect(bed.tree()).not.toHaveProperty('notes.md');
    await page.getByRole('button', { name: /write rolled back/ }).waitFor();
    // Until the next thing happens.
    await bed.savepoint.checkpoint({ description: 'the next thing' });
    await page.getByRole('link', { name: 'Undo' }).waitFor({ state: 'detached' });
  });

  it('makes a cut-off execution ready to resume, and forks it', async () => {
    opened = await PageBed.open(async (bed) => {
      const savepoint = await openSavepoint({ project: bed.root, home: bed.home });
      const run = await savepoint.execution('cut-off');
      await run.step('first', (context) => context.files.write('c.txt', 'whole\n'));
      await new Promise<void>((begun) => {
        void run.step('second', async (context) => {
          await context.files.write('c.txt', 'half\n');
          begun();
          await new Promise(() => undefined);
        });
      });
      await savepoint.close();
      await endHolder(bed, 'cut-off');
    });
    const { page, project, bed } = opened;
    const route = { view: 'executions', project } as const;
    await opened.goTo({ ...route, execution: { kind: 'steps', id: 'cut-off' } });
    await page.getByRole('button', { name: 'Make ready to resume…' }).click();
    await page.getByText('1 step stays done; the program goes on with step 1').waitFor();
    await page.getByText('Rolled back first: 1 second.').waitFor();
    expect(bed.text('c.txt')).toBe('half\n');
    await page.getByRole('button', { name: 'Make ready', exact: true }).click();
    await page.getByRole('region', { name: 'resume' }).waitFor({ state: 'detached' });
    expect(bed.text('c.txt')).toBe('whole\n');
    await page.getByRole('button', { name: 'Fork…' }).click();
    await page.getByLabel('Its name').fill('another');
    await page.getByLabel('After').selectOption('0 first');
    await page.getByRole('button', { name: 'Fork', exact: true }).click();
    await page.getByText('Forked from cut-off after step 0.').waitFor();
    await expect.poll(() => page.url()).toContain('/executions/steps/another');
    const forked = await (await bed.savepoint.executions()).show('another');
    expect(forked.execution).toMatchObject({ done: 1 });
    expect(bed.text('c.txt')).toBe('whole\n');
  });
});

describe('the store in a browser', () => {
  it('shows disk by project and session, settings, and checks everything when asked', async () => {
    opened = await PageBed.open(tellStory);
    const { page, project } = opened;
    await opened.goTo({ view: 'store', project });
    await page.getByRole('cell', { name: 'Claude Code' }).waitFor();
    await page.getByText('retention.days').waitFor();
    await page.getByRole('button', { name: 'Check everything' }).click();
    await page.getByText('Sound:').waitFor();
  });

  it('checks a store that is too damaged to be opened, and lists what is wrong', async () => {
    opened = await PageBed.open(async (bed) => {
      await tellStory(bed);
      await bed.damageStore();
    });
    const { page, project, problems } = opened;
    await opened.goTo({ view: 'store', project });
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Check everything' }).click();
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByText('The timeline cannot be read.').waitFor();
    expect(await health.getByRole('list').innerText()).toContain('the database cannot be read');
    // The browser tells of each answer 500 to what needs an open store.
    expect(problems.splice(0).filter((one) => !one.includes('500'))).toEqual([]);
  });
});
