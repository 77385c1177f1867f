import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSavepointError,
  openSavepoint,
  type PlanLine,
  type RewindRequest,
  type Savepoint,
} from '../../src/index.ts';
import { MemoryPlace, memoryStore } from '../../src/store/sqlite/memory-store.ts';
import { CAMPAIGN_TIMEOUT_MS } from './campaign.ts';
import { propertyRuns } from './runs.ts';
import { makeScratch } from './scratch.ts';

const LINES = 12;
/** One history takes a twentieth of a second. */
const SHARE = 1 / 2;

interface Step {
  readonly kind: 'agent' | 'person' | 'take' | 'rewind' | 'undo';
  readonly numbers: readonly number[];
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step['kind']>('agent', 'agent', 'person', 'take', 'take', 'rewind', 'undo'),
  numbers: fc.array(fc.nat(1_000), { minLength: 12, maxLength: 12 }),
});

/** One file that an agent and a person edit, and of which hunks go back. Every line is written once. */
class Play {
  readonly #file: string;
  readonly #savepoint: Savepoint;
  readonly #messages: string[] = [];
  #line = 0;
  /** Lines of a person; no agent of this play removes them. */
  readonly #mine = new Set<string>();

  constructor(root: string, savepoint: Savepoint) {
    this.#file = join(root, 'file');
    this.#savepoint = savepoint;
    this.#write(Array.from({ length: LINES }, () => this.#fresh('first')));
  }

  get text(): string {
    return readFileSync(this.#file, 'latin1');
  }

  #lines(): string[] {
    return this.text.split(/(?<=\n)/);
  }

  #write(lines: readonly string[]): void {
    writeFileSync(this.#file, lines.join(''), 'latin1');
  }

  #fresh(who: string): string {
    this.#line += 1;
    // Line ends of both kinds, and bytes that are not UTF-8.
    return `${who} ${this.#line}${this.#line % 5 === 0 ? ' \xff' : ''}${this.#line % 3 === 0 ? '\r\n' : '\n'}`;
  }

  async play({ kind, numbers }: Step): Promise<void> {
    if (kind === 'agent') await this.#agent(numbers);
    else if (kind === 'person') this.#person(numbers);
    else if (kind === 'take') await this.#take(numbers);
    else if (kind === 'rewind') await this.#thereAndBack(numbers);
    else await this.#undo();
    const now = new Set(this.#lines());
    expect([...this.#mine].filter((line) => !now.has(line))).toEqual([]);
  }

  async #agent(numbers: readonly number[]): Promise<void> {
    const messageId = `m${this.#messages.length}`;
    const paths = ['file'];
    const capture = await this.#savepoint.captureBefore({ sessionId: 's', messageId, paths });
    const lines = this.#lines();
    for (const number of numbers.slice(0, 1 + ((numbers[11] ?? 0) % 4))) {
      const at = number % (lines.length + 1);
      const old = lines[at];
      const isKept = old === undefined || this.#mine.has(old) || !old.endsWith('\n');
      // The rest adds a line, replaces it, or removes it.
      const removed = isKept ? 0 : (number >> 4) % 2;
      const added = removed === 1 && (number >> 5) % 2 === 0 ? [] : [this.#fresh('agent')];
      if (at < lines.length || lines.at(-1)?.endsWith('\n')) lines.splice(at, removed, ...added);
    }
    this.#write(lines);
    await this.#savepoint.captureAfter(capture);
    this.#messages.push(capture.checkpointId);
  }

  #person(numbers: readonly number[]): void {
    const lines = this.#lines();
    const line = this.#fresh('mine');
    lines.splice((numbers[0] ?? 0) % lines.length, 0, line);
    this.#mine.add(line);
    this.#write(lines);
  }

  /** Takes back some hunks together, undoes that, and takes them back one after the other. */
  async #take(numbers: readonly number[]): Promise<void> {
    const request = this.#request(numbers);
    const line = request && (await this.#lineOf(request));
    if (!request || line === null) return;
    const hunks = await this.#savepoint.planHunks(line);
    const chosen = hunks.filter((_, i) => ((numbers[i % 12] ?? 0) >> 3) % 2 === 0);
    const ids = chosen.map(({ id }) => id);
    const before = this.text;
    await this.#takeIds(request, ids);
    const together = this.text;
    if (ids.length === 0) return expect(together).toBe(before);
    if (ids.length === hunks.length) expect(together).toBe(await this.#planned(line));
    await this.#savepoint.undo();
    expect(this.text).toBe(before);
    const shuffled = ids.toSorted((a, b) =>
      (numbers[1] ?? 0) % 2 === 0 ? a.localeCompare(b) : b.localeCompare(a),
    );
    for (const id of shuffled) await this.#takeIds(request, [id]);
    expect(this.text).toBe(together);
    if ((numbers[2] ?? 0) % 2 === 0) return;
    for (const _ of ids) await this.#savepoint.undo();
    expect(this.text).toBe(before);
  }

  async #thereAndBack(numbers: readonly number[]): Promise<void> {
    const request = this.#request(numbers);
    if (request === null) return;
    const before = this.text;
    const { operationId } = await this.#savepoint.rewind(request);
    if (operationId === null || (numbers[2] ?? 0) % 2 === 0) return;
    await this.#savepoint.undo();
    expect(this.text).toBe(before);
  }

  async #undo(): Promise<void> {
    try {
      await this.#savepoint.undo();
    } catch (error) {
      if (!isSavepointError(error, 'nothing-to-undo')) throw error;
    }
  }

  /** Takes back everything, hunk by hunk: then it is what one rewind of the file would have made. */
  async end(): Promise<void> {
    const [to] = this.#messages;
    const first = to === undefined ? null : await this.#lineOf({ to });
    if (to === undefined || first === null) return;
    const planned = await this.#planned(first);
    for (let line: PlanLine | null = first; line !== null; line = await this.#lineOf({ to })) {
      const [hunk] = await this.#savepoint.planHunks(line);
      await this.#takeIds({ to }, [hunk?.id ?? 'none']);
    }
    expect(this.text).toBe(planned);
    const listed = await this.#savepoint.list({ kinds: ['message'] });
    expect(listed.filter(({ files, takenBack }) => files > 0 && takenBack !== 'yes')).toEqual([]);
  }

  #request([, , , which = 0, alone = 0]: readonly number[]): RewindRequest | null {
    const to = this.#messages[which % Math.max(1, this.#messages.length)];
    if (to === undefined) return null;
    return alone % 4 === 0 ? { to, take: 'message' } : { to };
  }

  #takeIds(request: RewindRequest, ids: readonly string[]): Promise<unknown> {
    return this.#savepoint.rewind({ ...request, hunks: [{ path: 'file', ids }] });
  }

  /** The line that changes the file; null where it is in conflict, or as it was. */
  async #lineOf(request: RewindRequest): Promise<PlanLine | null> {
    const { lines } = await this.#savepoint.planRewind(request);
    const [line] = lines;
    return line?.action === 'write' || line?.action === 'merge' ? line : null;
  }

  async #planned({ merged, target }: PlanLine): Promise<string> {
    if (merged !== undefined) return Buffer.from(merged).toString('latin1');
    if (target.kind !== 'captured' || target.blob === null) throw new Error('no content');
    return Buffer.from(await this.#savepoint.readBlob(target.blob)).toString('latin1');
  }
}

async function playAll(steps: readonly Step[]): Promise<void> {
  const scratch = makeScratch();
  const project = join(scratch, 'project');
  mkdirSync(project);
  const savepoint = await openSavepoint({ project, store: memoryStore(new MemoryPlace()) });
  try {
    const play = new Play(project, savepoint);
    for (const one of steps) await play.play(one);
    await play.end();
  } finally {
    await savepoint.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

describe('hunks of one file in a random history', () => {
  it(
    'go back together as one by one, come back with undo, and leave what a person wrote',
    async () => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), playAll);
      await fc.assert(property, propertyRuns(SHARE));
    },
    CAMPAIGN_TIMEOUT_MS,
  );
});
