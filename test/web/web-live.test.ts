import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiveEvent, TimelineAnswer } from '../../src/web/api.ts';
import { makeWebBed, type WebBed } from './web-bed.ts';

let web: WebBed;
beforeEach(async () => {
  web = await makeWebBed({ idleMs: 100 });
  await web.bed.write('m1', 'a', 'one\n');
});
afterEach(() => web.close());

/** A page that listens: what it has heard, and how it goes away. */
class Page {
  readonly heard: LiveEvent[] = [];
  readonly #gone = new AbortController();
  ended = false;

  async open(query = ''): Promise<this> {
    const options = { headers: web.headers(), signal: this.#gone.signal };
    const response = await fetch(web.at(`events${query}`), options);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    void this.#read(response);
    await this.until(() => this.heard.length >= 2);
    return this;
  }

  async #read({ body }: Response): Promise<void> {
    let text = '';
    try {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk).toString();
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          if (event.startsWith('data: ')) this.heard.push(JSON.parse(event.slice(6)) as LiveEvent);
        }
      }
    } catch {
      // It went away.
    }
    this.ended = true;
  }

  /** Waits for what is to be heard. */
  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await pause(10);
  }

  of<T extends LiveEvent['type']>(type: T): Extract<LiveEvent, { type: T }>[] {
    return this.heard.filter((event) => event.type === type) as Extract<LiveEvent, { type: T }>[];
  }

  leave(): void {
    this.#gone.abort();
  }
}

describe('live events', () => {
  it('tell what another connection wrote, with the checkpoints that are new', async () => {
    const page = await new Page().open();
    await web.bed.write('m2', 'b', 'two\n');
    const { points } = await web.get<TimelineAnswer>('timeline');
    const [newest] = points;
    const isTold = (): boolean =>
      page
        .of('changed')
        .some(({ checkpoints }) => checkpoints?.some((id) => id === newest?.id) ?? false);
    await page.until(isTold);
    expect(newest?.title).toBe('message m2');
    page.leave();
  });

  it('tell what is missed since a number', async () => {
    const { seq } = await web.get<TimelineAnswer>('timeline');
    await web.bed.write('m2', 'b', 'two\n');
    const page = await new Page().open(`?since=${seq}`);
    const { points } = await web.get<TimelineAnswer>('timeline');
    expect(page.of('changed')[0]?.checkpoints).toEqual([points[0]?.id]);
    page.leave();
  });

  it('show a command as running until it ends, and that a rewind happened', async () => {
    const page = await new Page().open();
    const { id } = await web.bed.savepoint.openWindow({
      sessionId: 'agent',
      messageId: 'm2',
      description: 'npm test',
    });
    await page.until(() => page.of('running').some(({ running }) => running.length === 1));
    expect(page.of('running').at(-1)?.running).toMatchObject([
      { description: 'npm test', sessionId: 'agent' },
    ]);
    const during = await web.get<TimelineAnswer>('timeline');
    expect(during.lanes).toMatchObject([{ running: true }]);
    await web.bed.savepoint.closeWindow(id);
    await page.until(() => page.of('running').at(-1)?.running.length === 0);
    await web.bed.savepoint.rewind({ to: 'm1' });
    await page.until(() => page.of('changed').some(({ operations }, i) => i > 0 && operations));
    page.leave();
  });

  it('free everything when pages go, and project and server can still be used', async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, () => new Page().open()));
    expect(web.server.listening()).toBe(20);
    await web.bed.write('m2', 'b', 'two\n');
    await Promise.all(pages.map((page) => page.until(() => page.of('changed').length > 1)));
    for (const page of pages) page.leave();
    while (web.server.listening() > 0 || web.server.open() > 0) await pause(10);
    expect((await web.get<TimelineAnswer>('timeline')).points).toHaveLength(2);
  });

  it('come beside questions and plans while an agent writes', async () => {
    const page = await new Page().open();
    const writing = (async () => {
      for (let n = 0; n < 20; n += 1) await web.bed.write(`w${n}`, `f${n % 3}`, `${n}\n`);
    })();
    const counts: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      counts.push((await web.get<TimelineAnswer>('timeline')).points.length);
      if (n % 5 === 0) await web.post('plans', { kind: 'rewind', to: 'm1', force: true });
    }
    await writing;
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    const { points, seq } = await web.get<TimelineAnswer>('timeline');
    expect(points).toHaveLength(21);
    await page.until(() => page.of('changed').at(-1)?.seq === seq);
    page.leave();
  });

  it('end with the server', async () => {
    const page = await new Page().open();
    await web.server.close();
    await page.until(() => page.ended);
  });
});
