import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/web/page/app/routes.ts';
import { violationsIn } from './axe.ts';
import { PageBed } from './page-bed.ts';
import { tellStory } from './story.ts';

/** Narrow and dark, wide and light; the campaigns try the others as well. */
const LOOKS = [
  { width: 360, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 360, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 2560, colorScheme: 'light' },
  { width: 2560, colorScheme: 'dark' },
].slice(0, process.env.SAVEPOINT_CAMPAIGNS === undefined ? 2 : 6) as readonly {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}[];

describe('the page', () => {
  let opened: PageBed;

  beforeAll(async () => {
    opened = await PageBed.open(tellStory);
  });

  afterAll(async () => {
    await opened.close();
  });

  it.each<[string, (project: string) => Route, string]>([
    ['home', () => ({ view: 'home' }), 'table'],
    ['timeline', (project) => ({ view: 'timeline', project }), '.entry .lines .good'],
    [
      'executions',
      (project) => ({ view: 'executions', project, execution: { kind: 'steps', id: 'notes-1' } }),
      '.tree',
    ],
    ['store', () => ({ view: 'store' }), 'tfoot'],
    ['store of one', (project) => ({ view: 'store', project }), '#settings'],
    ['a place that is none', () => ({ view: 'unknown', at: '#/nowhere' }), '.failed'],
  ])(
    'has nothing that axe finds wrong in the view %s, and is never wider than the window',
    async (_, route, sign) => {
      const { page, project, problems } = opened;
      await opened.goTo(route(project));
      for (const { width, colorScheme } of LOOKS) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        await page.waitForSelector(sign);
        expect(await violationsIn(page), `${width} ${colorScheme}`).toEqual([]);
        const tooWide = 'document.documentElement.scrollWidth - innerWidth';
        expect(await page.evaluate(tooWide), `${width}`).toBe(0);
      }
      expect(problems).toEqual([]);
    },
  );
});
