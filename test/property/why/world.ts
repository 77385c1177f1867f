import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CheckpointId,
  HunkChoice,
  LineOrigin,
  OperationId,
  RewindRequest,
} from '../../../src/index.ts';
import { type Bed, makeBed } from '../../e2e/engine-bed.ts';
import { linesOf } from './allowed.ts';
import { type Edit, edited } from './edit.ts';
import { Lives, type Recorded } from './life.ts';

export const PATHS = ['a', 'b', 'c', 'd'] as const;

interface Message {
  readonly session: string;
  readonly message: string;
}

export interface Rewind {
  readonly pick: number;
  readonly take: 'since' | 'message' | 'exact';
  readonly restore: boolean;
  readonly hunks: boolean;
}

interface Point {
  readonly id: CheckpointId;
  readonly act: number;
  readonly session: string | null;
  readonly message: string | null;
}

/** A real project with agents and a person at work, and what may be said of every line. */
export class World {
  readonly #bed: Bed;
  readonly #lives = new Lives();
  readonly #points: Point[] = [];
  readonly #operations = new Map<OperationId, number>();
  readonly #messages = new Map<string, Message>();
  readonly log: string[] = [];
  #act = 0;
  #unique = 0;

  constructor(bed: Bed) {
    this.#bed = bed;
  }

  static async make(): Promise<World> {
    let world: World | null = null;
    // All changes of one act have one time.
    const bed = await makeBed({ now: () => world?.now() ?? 0 });
    world = new World(bed);
    return world;
  }

  now(): number {
    return this.#act;
  }

  remove(): Promise<void> {
    return this.#bed.remove();
  }

  read(path: string): string | null {
    const place = join(this.#bed.root, path);
    return existsSync(place) ? readFileSync(place, 'utf8') : null;
  }

  write(path: string, content: string | null): void {
    const place = join(this.#bed.root, path);
    if (content === null) rmSync(place, { force: true });
    else writeFileSync(place, content);
  }

  /** A person or an agent changes a file, in whatever way. */
  edit(path: string, edit: Edit): void {
    const before = this.read(path);
    const unique = (): string => {
      this.#unique += 1;
      return `n${this.#unique}`;
    };
    const after = edited(before, edit, unique);
    this.write(path, after);
    this.#note(`  ${path}: ${shown(before)} -> ${shown(after)}`);
  }

  /** Renames a file over whatever has the new name, and may change a line on the way. */
  rename(from: string, to: string, edit: Edit | null): void {
    if (this.read(from) === null || from === to) return;
    renameSync(join(this.#bed.root, from), join(this.#bed.root, to));
    this.#note(`  ${from} is renamed to ${to}`);
    if (edit !== null) this.edit(to, edit);
  }

  /** A new prompt. */
  async message(session: string): Promise<void> {
    const act = this.#next(`a new message of ${session}`);
    const message = `m${act}`;
    const request = { sessionId: session, messageId: message, agent: session };
    const { id } = await this.#bed.savepoint.checkpoint({ ...request, scan: false });
    this.#messages.set(session, { session, message });
    this.#points.push({ id, act, session, message });
  }

  async mark(): Promise<void> {
    const act = this.#next('a checkpoint by hand');
    const { id } = await this.#bed.savepoint.checkpoint({ scan: false });
    this.#points.push({ id, act, session: null, message: null });
  }

  /** A tool that names its files. */
  async tool(session: string, paths: readonly string[], work: () => void): Promise<void> {
    const { message } = await this.#messageOf(session);
    const act = this.#next(`a tool of ${session} (${message}) at ${paths.join(' ')}`);
    const toolCallId = `t${act}`;
    const request = { sessionId: session, messageId: message, toolCallId, paths };
    const capture = await this.#bed.savepoint.captureBefore(request);
    this.#see(act, paths);
    work();
    await this.#bed.savepoint.captureAfter(capture);
    this.#found(act, session, message, paths);
  }

  /** A command that names nothing. */
  async command(session: string, work: () => void): Promise<void> {
    const { message } = await this.#messageOf(session);
    const act = this.#next(`a command of ${session} (${message})`);
    const request = { sessionId: session, messageId: message, toolCallId: `t${act}` };
    const { id } = await this.#bed.savepoint.openWindow(request);
    this.#see(act, PATHS);
    this.#lives.isScanned = true;
    work();
    await this.#bed.savepoint.closeWindow(id);
    this.#found(act, session, message, PATHS);
  }

  async scan(): Promise<void> {
    const act = this.#next('a scan');
    await this.#bed.savepoint.scan();
    this.#see(act, PATHS);
    this.#lives.isScanned = true;
  }

  /** `hunks`: only some of the hunks of each file go back. */
  async rewind({ pick, take, restore, hunks }: Rewind): Promise<void> {
    const point = this.#points[pick % this.#points.length];
    if (point === undefined) return;
    await this.scan();
    const act = this.#next(`a rewind (${take}) to act ${point.act} of ${point.session}`);
    const request: RewindRequest = {
      to: point.id,
      take: point.session === null && take === 'message' ? 'since' : take,
      onConflict: restore ? 'restore' : 'keep',
    };
    const chosen = hunks ? { hunks: await this.#someHunks(request, pick) } : {};
    const receipt = await this.#bed.savepoint.rewind({ ...request, ...chosen });
    const isTaken = ({ act: made, by, session, message }: Recorded): boolean => {
      if (take === 'exact') return made > point.act;
      if (point.session === null) return made > point.act && (by === 'agent' || by === 'operation');
      return take === 'message'
        ? message === point.message
        : made > point.act && session === point.session;
    };
    this.#operated(act, receipt.operationId, isTaken);
  }

  async #someHunks(request: RewindRequest, pick: number): Promise<HunkChoice[]> {
    const { lines } = await this.#bed.savepoint.planRewind(request);
    const choices: HunkChoice[] = [];
    for (const line of lines.filter(({ action }) => action === 'write' || action === 'merge')) {
      const hunks = await this.#bed.savepoint.planHunks(line);
      const ids = hunks.filter((_, i) => ((pick >> i) & 1) === 1).map(({ id }) => id);
      choices.push({ path: line.path, ids });
      this.#note(`  ${line.path}: ${ids.length} of ${hunks.length} hunks`);
    }
    return choices;
  }

  /** Takes back the last operation, or brings back what the last undo took. */
  async takeBack(kind: 'undo' | 'redo', restore: boolean): Promise<void> {
    await this.scan();
    const { savepoint } = this.#bed;
    const options = { onConflict: restore ? 'restore' : 'keep' } as const;
    const plan = await (kind === 'undo'
      ? savepoint.planUndo(options)
      : savepoint.planRedo(options)
    ).catch(() => null);
    if (plan === null) return;
    const act = this.#next(kind);
    const taken = plan.reverts === null ? undefined : this.#operations.get(plan.reverts);
    const { operationId } = await savepoint.apply(plan);
    this.#operated(act, operationId, ({ act: made, by }) => by === 'operation' && made === taken);
  }

  /** Every line has an origin that minimal diffs allow; throws for the first that has not. */
  async check(): Promise<number> {
    let checked = 0;
    for (const path of PATHS) {
      const content = this.read(path);
      if (content === null) continue;
      const { lines, spans } = await this.#bed.savepoint.why({ path });
      const expected = this.#lives.expected(path, content);
      const said = spans.flatMap(({ first, last, origin }) =>
        Array.from({ length: last - first + 1 }, () => nameOf(origin)),
      );
      if (said.length !== linesOf(content).length) throw new Error(`${path}: not all lines`);
      for (const [i, name] of said.entries()) {
        checked += 1;
        const allowed = expected[i] ?? new Set();
        if (allowed.has(name)) continue;
        const line = `${path}:${i + 1} ${JSON.stringify(lines[i])}`;
        throw new Error(
          `${line} is said to be of ${name}, not of ${[...allowed].join(' or ')}\n${this.log.join('\n')}`,
        );
      }
    }
    return checked;
  }

  async #messageOf(session: string): Promise<Message> {
    if (!this.#messages.has(session)) await this.message(session);
    return this.#messages.get(session) as Message;
  }

  #next(what: string): number {
    this.#act += 1;
    this.#note(`${this.#act}. ${what}`);
    return this.#act;
  }

  #note(line: string): void {
    this.log.push(line);
  }

  #contents(paths: readonly string[]): Map<string, string | null> {
    return new Map(paths.map((path) => [path, this.read(path)]));
  }

  /** What an act finds before anybody works: a person made the differences. */
  #see(act: number, paths: readonly string[]): void {
    const contents = this.#contents(paths);
    for (const [path, content] of contents) {
      const isNew = this.#lives.of(path).length === 0;
      if (isNew) this.#lives.begin(path, this.#lives.isScanned ? null : content, act);
    }
    this.#lives.record({ act, by: 'outside', origin: `outside@${act}`, contents });
  }

  #found(act: number, session: string, message: string, paths: readonly string[]): void {
    const contents = this.#contents(paths);
    const found = { act, by: 'agent', origin: `t${act}`, session, message, contents } as const;
    this.#lives.record(found);
  }

  #operated(act: number, id: OperationId | null, isTaken: (state: Recorded) => boolean): void {
    if (id !== null) this.#operations.set(id, act);
    this.#lives.operate(act, this.#contents(PATHS), isTaken);
    for (const path of PATHS) this.#note(`  ${path}: ${shown(this.read(path))}`);
  }
}

function nameOf({ kind, change }: LineOrigin): string {
  if (kind === 'agent') return change?.toolCallId ?? 'no call';
  return kind === 'outside' ? `outside@${change?.createdAt}` : kind;
}

function shown(content: string | null): string {
  return content === null ? 'nothing' : JSON.stringify(linesOf(content).join('')).slice(0, 200);
}
