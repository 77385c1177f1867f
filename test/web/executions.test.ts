import { afterEach, describe, expect, it } from 'vitest';
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
