import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSavepointError,
  openSavepoint,
  type PlanLine,
  type Receipt,
  type RewindRequest,
  type Savepoint,
} from '../../src/index.ts';
import { MemoryPlace, memoryStore } from '../../src/store/sqlite/memory-store.ts';
import { CAMPAIGN_TIMEOUT_MS } from './campaign.ts';
import { propertyRuns } from './runs.ts';
import { makeScratch } from './scratch.ts';

const FILES = ['a', 'b', 'c'] as const;
const SESSIONS = ['one', 'two'] as const;
const MODES = [0o644, 0o755, 0o600] as const;
const LINES = 10;
/** One history takes a fiftieth to a twentieth of a second. */
const SHARE = 1 / 4;

interface Step {
  readonly kind: 'agent' | 'person' | 'take' | 'rewind' | 'undo';
  readonly numbers: readonly number[];
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step['kind']>('agent', 'agent', 'person', 'take', 'take', 'rewind', 'undo'),
  numbers: fc.array(fc.nat(1_000), { minLength: 16, maxLength: 16 }),
});

/** The numbers of a step, one after the other and over again. */
class Dice {
  readonly #numbers: readonly number[];
  #thrown = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** From 0 to `sides - 1`. */
  below(sides: number): number {
    const at = this.#thrown++;
    // Another number in each round.
    const round = Math.floor(at / this.#numbers.length);
    return ((this.#numbers[at % this.#numbers.length] ?? 0) + 7 * round) % sides;
  }

  of<T>(list: readonly T[]): T | undefined {
    return list[this.below(Math.max(1, list.length))];
  }
}

interface Message {
  readonly sessionId: string;
  readonly id: string;
}

/** A hunk to take back, and its file. */
interface Choice {
  readonly path: string;
  readonly id: string;
}

/** Lines that stand many times in a file, so that a difference can have several shortest forms. */
const COMMON = ['}\n', '\n', '}\r\n'];

/** Files that agents of two sessions and a person edit, and of which hunks go back. */
class Play {
  readonly #root: string;
  readonly #savepoint: Savepoint;
  /** Whether lines stand more than once. */
  readonly #repeats: boolean;
  readonly #messages: Message[] = [];
  #line = 0;
  /** Lines of a person, and their files; no agent of this play removes them. */
  readonly #mine = new Map<string, string>();
  /** The messages that wrote lines, of which no other message changed the end. */
  readonly #authors = new Map<string, Message>();
  readonly #written = new Set<string>();

  constructor(root: string, savepoint: Savepoint, repeats: boolean) {
    this.#root = root;
    this.#savepoint = savepoint;
    this.#repeats = repeats;
    for (const path of ['a', 'b']) {
      this.#write(
        path,
        Array.from({ length: LINES }, () => this.#fresh('first')),
      );
      chmodSync(this.#at(path), MODES[0]);
    }
  }

  #at(path: string): string {
    return join(this.#root, path);
  }

  /** All files with their modes and bytes. */
  get tree(): Record<string, string | null> {
    return Object.fromEntries(FILES.map((path) => [path, this.#stateOf(path)]));
  }

  #stateOf(path: string): string | null {
    if (!existsSync(this.#at(path))) return null;
    return shown(statSync(this.#at(path)).mode, readFileSync(this.#at(path), 'latin1'));
  }

  #lines(path: string): string[] {
    if (!existsSync(this.#at(path))) return [];
    return readFileSync(this.#at(path), 'latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
  }

  #write(path: string, lines: readonly string[]): void {
    writeFileSync(this.#at(path), lines.join(''), 'latin1');
  }

  #fresh(who: string): string {
    this.#line += 1;
    const common = this.#repeats && who !== 'mine' ? COMMON[this.#line % 7] : undefined;
    if (common !== undefined) return common;
    // Line ends of both kinds, and bytes that are not UTF-8.
    return `${who} ${this.#line}${this.#line % 5 === 0 ? ' \xff' : ''}${this.#line % 3 === 0 ? '\r\n' : '\n'}`;
  }

  async play({ kind, numbers }: Step): Promise<void> {
    const dice = new Dice(numbers);
    if (kind === 'agent') await this.#agent(dice);
    else if (kind === 'person') this.#person(dice);
    else if (kind === 'take') await this.#take(dice);
    else if (kind === 'rewind') await this.#thereAndBack(dice);
    else await this.#undo();
    const lost = [...this.#mine].filter(([line, path]) => !this.#lines(path).includes(line));
    expect(lost).toEqual([]);
  }

  async #agent(dice: Dice): Promise<void> {
    const sessionId = dice.below(3) === 0 ? SESSIONS[1] : SESSIONS[0];
    const messageId = `m${this.#messages.length}`;
    const paths = FILES.filter(() => dice.below(2) === 0);
    const named = paths.length === 0 ? [FILES[0]] : paths;
    const capture = await this.#savepoint.captureBefore({ sessionId, messageId, paths: named });
    const before = new Set(this.#allLines());
    for (const path of named) this.#work(path, dice);
    await this.#savepoint.captureAfter(capture);
    const message = { sessionId, id: capture.checkpointId };
    this.#messages.push(message);
    for (const line of this.#allLines()) {
      if (before.has(line) || /^}?$/.test(line.trimEnd())) continue;
      if (this.#written.has(line.trimEnd())) this.#authors.delete(line.trimEnd());
      else this.#authors.set(line.trimEnd(), message);
      this.#written.add(line.trimEnd());
    }
  }

  #allLines(): string[] {
    return FILES.flatMap((path) => this.#lines(path));
  }

  /** Creates, deletes or edits a file, and changes its mode. */
  #work(path: string, dice: Dice): void {
    const isThere = existsSync(this.#at(path));
    const lines = this.#lines(path);
    const does = dice.below(10);
    if (!isThere) {
      this.#write(
        path,
        Array.from({ length: dice.below(6) }, () => this.#fresh('agent')),
      );
    } else if (does === 0 && !lines.some((line) => this.#mine.has(line))) {
      rmSync(this.#at(path));
      return;
    } else if (does > 1) this.#edit(path, dice);
    if (does < 4) chmodSync(this.#at(path), dice.of(MODES) ?? MODES[0]);
  }

  #edit(path: string, dice: Dice): void {
    const lines = this.#lines(path);
    for (let edits = 1 + dice.below(4); edits > 0; edits--) {
      const at = dice.below(lines.length + 1);
      const old = lines[at];
      const isWhole = old?.endsWith('\n') === true && !this.#mine.has(old);
      const does = dice.below(5);
      if (isWhole && does === 0) lines.splice(at, 1);
      else if (isWhole && does === 1) lines.splice(at, 1, this.#fresh('agent'));
      else if (isWhole && does === 2) lines.splice(at, 1, otherEnd(old));
      else if (at < lines.length || lines.at(-1)?.endsWith('\n') !== false) {
        lines.splice(at, 0, this.#fresh('agent'));
      }
    }
    const last = lines.at(-1);
    if (last !== undefined && !this.#mine.has(last) && dice.below(4) === 0) {
      lines.splice(-1, 1, last.endsWith('\n') ? last.replace(/\r?\n$/, '') : `${last}\n`);
    }
    this.#write(path, lines);
  }

  #person(dice: Dice): void {
    const path = dice.of(FILES.filter((one) => existsSync(this.#at(one))));
    if (path === undefined) return;
    const lines = this.#lines(path);
    const line = this.#fresh('mine');
    lines.splice(dice.below(Math.max(1, lines.length)), 0, line);
    this.#mine.set(line, path);
    this.#write(path, lines);
  }

  /** Takes back some hunks together, undoes that, takes them back in several rewinds, and may undo all of those. */
  async #take(dice: Dice): Promise<void> {
    const request = this.#request(dice);
    if (request === null) return;
    const lines = await this.#workOf(request);
    const all = await this.#choicesIn(lines);
    const everything = dice.below(4) === 0;
    const chosen = all.filter(() => everything || dice.below(2) === 0);
    const before = this.tree;
    const linesBefore = this.#allLines();
    const { operationId } = await this.#takeBack(request, lines, chosen);
    const together = this.tree;
    await this.#expectTold(linesBefore, request);
    if (chosen.length === 0) expect(together).toEqual(before);
    if (chosen.length === all.length) {
      for (const line of lines) expect(together[line.path]).toBe(await this.#planned(line));
    }
    if (operationId !== null) await this.#savepoint.undo();
    expect(this.tree).toEqual(before);
    let undos = 0;
    let isDone = chosen.length > 0;
    for (const some of parted(chosen, dice)) {
      const receipt = await this.#unlessMoved(() => this.#takeBack(request, lines, some));
      if (receipt?.operationId != null) undos += 1;
      isDone &&= receipt !== null;
    }
    if (isDone) expect(this.tree).toEqual(together);
    if (dice.below(2) === 0) return;
    for (; undos > 0; undos--) await this.#savepoint.undo();
    expect(this.tree).toEqual(before);
  }

  /** With equal lines, the difference that is left after a hunk went may have another shortest form. */
  async #unlessMoved(take: () => Promise<Receipt>): Promise<Receipt | null> {
    try {
      return await take();
    } catch (error) {
      if (this.#repeats && isSavepointError(error, 'hunk-not-found')) return null;
      throw error;
    }
  }

  /** A message of which a line went is one of those that were asked for, and says that some of it is taken back. */
  async #expectTold(before: readonly string[], { to, take }: RewindRequest): Promise<void> {
    const after = new Set(this.#allLines().map((line) => line.trimEnd()));
    const gone = before.map((line) => line.trimEnd()).filter((line) => !after.has(line));
    const authors = new Set(gone.flatMap((line) => this.#authors.get(line) ?? []));
    const asked = this.#messages.findIndex(({ id }) => id === to);
    for (const { id, sessionId } of authors) {
      const isLater = this.#messages.findIndex((one) => one.id === id) >= asked;
      const isMeant = take === 'message' ? id === to : isLater;
      expect([isMeant, sessionId]).toEqual([true, this.#messages[asked]?.sessionId]);
      const listed = await this.#savepoint.list({ kinds: ['message'], sessionIds: [sessionId] });
      expect(listed.find((one) => one.id === id)?.takenBack).not.toBe('no');
    }
  }

  async #thereAndBack(dice: Dice): Promise<void> {
    const request = this.#request(dice);
    if (request === null) return;
    const before = this.tree;
    const { operationId } = await this.#savepoint.rewind(request);
    if (operationId === null || dice.below(2) === 0) return;
    await this.#savepoint.undo();
    expect(this.tree).toEqual(before);
  }

  async #undo(): Promise<void> {
    try {
      await this.#savepoint.undo();
    } catch (error) {
      if (!isSavepointError(error, 'nothing-to-undo')) throw error;
    }
  }

  /** Takes back all work of each session, hunk by hunk: then it is what one rewind would have made. */
  async end(): Promise<void> {
    for (const session of SESSIONS) {
      const to = this.#messages.find(({ sessionId }) => sessionId === session)?.id;
      if (to !== undefined) await this.#takeAll(to, session);
    }
  }

  async #takeAll(to: string, sessionId: string): Promise<void> {
    const { lines: planned } = await this.#savepoint.planRewind({ to });
    const work = await this.#workOf({ to });
    const expected = this.tree;
    for (const line of work) expected[line.path] = await this.#planned(line);
    for (let left = work; left.length > 0; left = await this.#workOf({ to })) {
      const [hunk] = await this.#choicesIn(left);
      await this.#takeBack({ to }, left, hunk === undefined ? [] : [hunk]);
    }
    expect(this.tree).toEqual(expected);
    if (planned.some(({ action }) => action === 'conflict' || action === 'skip')) return;
    // Files that are as they were before need no work, and are taken back all the same.
    await this.#savepoint.rewind({ to });
    expect(this.tree).toEqual(expected);
    const listed = await this.#savepoint.list({ kinds: ['message'], sessionIds: [sessionId] });
    expect(listed.filter(({ files, takenBack }) => files > 0 && takenBack !== 'yes')).toEqual([]);
  }

  #request(dice: Dice): RewindRequest | null {
    const message = dice.of(this.#messages);
    if (message === undefined) return null;
    return dice.below(4) === 0 ? { to: message.id, take: 'message' } : { to: message.id };
  }

  async #choicesIn(lines: readonly PlanLine[]): Promise<Choice[]> {
    const hunks = lines.map(async (line) =>
      (await this.#savepoint.planHunks(line)).map(({ id }) => ({ path: line.path, id })),
    );
    return (await Promise.all(hunks)).flat();
  }

  /** Takes back these hunks and nothing else of the lines. */
  #takeBack(
    request: RewindRequest,
    lines: readonly PlanLine[],
    chosen: readonly Choice[],
  ): Promise<Receipt> {
    const hunks = lines.map(({ path }) => ({
      path,
      ids: chosen.filter((one) => one.path === path).map(({ id }) => id),
    }));
    return this.#savepoint.rewind({ ...request, hunks });
  }

  /** The lines that change files; conflicts and files that are as they were are not among them. */
  async #workOf(request: RewindRequest): Promise<PlanLine[]> {
    const { lines } = await this.#savepoint.planRewind(request);
    return lines.filter(({ action }) => ['write', 'merge', 'chmod', 'delete'].includes(action));
  }

  async #planned({ path, action, merged, target }: PlanLine): Promise<string | null> {
    if (target.kind !== 'captured') return null;
    if (action === 'chmod') return shown(target.mode, this.#lines(path).join(''));
    if (merged !== undefined) return shown(target.mode, Buffer.from(merged).toString('latin1'));
    if (target.blob === null) throw new Error('no content');
    const bytes = await this.#savepoint.readBlob(target.blob);
    return shown(target.mode, Buffer.from(bytes).toString('latin1'));
  }
}

function shown(mode: number, text: string): string {
  return `${(mode & 0o777).toString(8)} ${text}`;
}

function otherEnd(line: string): string {
  return line.endsWith('\r\n') ? line.replace(/\r\n$/, '\n') : line.replace(/\n$/, '\r\n');
}

/** All of them in some order, in groups of one or more. */
function parted<T>(list: readonly T[], dice: Dice): T[][] {
  const keyed = list.map((one) => ({ one, key: dice.below(1_000) }));
  const groups: T[][] = [];
  for (const { one } of keyed.toSorted((a, b) => a.key - b.key)) {
    const group = groups.at(-1);
    if (group === undefined || dice.below(2) === 0) groups.push([one]);
    else group.push(one);
  }
  return groups;
}

async function playAll(repeats: boolean, steps: readonly Step[]): Promise<void> {
  const scratch = makeScratch();
  const project = join(scratch, 'project');
  mkdirSync(project);
  const savepoint = await openSavepoint({ project, store: memoryStore(new MemoryPlace()) });
  try {
    const play = new Play(project, savepoint, repeats);
    for (const one of steps) await play.play(one);
    await play.end();
  } finally {
    await savepoint.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

describe('hunks of several files in a random history', () => {
  it(
    'go back together as one by one, come back with undo, and leave what a person wrote',
    async () => {
      const steps = fc.array(step, { minLength: 3, maxLength: 14 });
      const property = fc.asyncProperty(fc.boolean(), steps, playAll);
      await fc.assert(property, propertyRuns(SHARE));
    },
    CAMPAIGN_TIMEOUT_MS,
  );
});
