import fc from 'fast-check';
import type { OnConflict } from '../../src/index.ts';
import type { Take } from './model/sets.ts';

export type Actor = 's1' | 's1-helper' | 's2' | 'person';

export type CommandKind =
  | 'message'
  | 'edit'
  | 'edit-through-link'
  | 'write'
  | 'write-late'
  | 'delete'
  | 'rename'
  | 'chmod'
  | 'link'
  | 'folder'
  | 'swap'
  | 'look'
  | 'end-turn'
  | 'mark'
  | 'rewind'
  | 'undo'
  | 'redo'
  | 'there-and-back'
  | 'twice'
  | 'stale'
  | 'evict'
  | 'cleanup'
  | 'archive'
  | 'reopen'
  | 'shell'
  | 'shell-late'
  | 'open-window'
  | 'close-window'
  | 'scan'
  | 'write-ignored'
  | 'stop-ignoring'
  | 'start-ignoring'
  | 'lose-index';

/** One step of a sequence. The numbers choose among what is possible when its turn comes. */
export interface Command {
  readonly kind: CommandKind;
  readonly who: Actor;
  readonly path: number;
  readonly other: number;
  readonly pick: number;
  readonly take: Take;
  readonly choice: OnConflict | 'none';
  /** Done by a command of the session, so that no tool says which paths it writes. */
  readonly inShell?: true;
}

/** How often each kind comes, in relation to the others. */
export type Mix = Partial<Record<CommandKind, number>>;

/** 20 to 60 commands, which shrink to as few as possible. */
export function sequences(mix: Mix): fc.Arbitrary<Command[]> {
  return new Sequences(fc.array(commands(mix), { minLength: 20, maxLength: 60, size: 'max' }));
}

function commands(mix: Mix): fc.Arbitrary<Command> {
  return fc.record({
    kind: weighted(mix),
    who: weighted<Actor>({ s1: 6, 's1-helper': 2, s2: 5, person: 6 }),
    path: fc.nat(255),
    other: fc.nat(255),
    pick: fc.nat(255),
    take: weighted<Take>({ since: 7, message: 1, exact: 2 }),
    choice: weighted<Command['choice']>({ none: 5, keep: 2, restore: 2, fail: 1 }),
  });
}

function weighted<Name extends string>(weights: Partial<Record<Name, number>>): fc.Arbitrary<Name> {
  const names = Object.keys(weights) as Name[];
  return fc.constantFrom(...names.flatMap((name) => Array<Name>(weights[name] ?? 0).fill(name)));
}

/**
 * Shrinks by leaving out parts, then by simpler wishes. The usual way would keep to the minimum length
 * and try thousands of smaller numbers, which say nothing to a reader.
 */
class Sequences extends fc.Arbitrary<Command[]> {
  readonly #generated: fc.Arbitrary<Command[]>;

  constructor(generated: fc.Arbitrary<Command[]>) {
    super();
    this.#generated = generated;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<Command[]> {
    return new fc.Value(this.#generated.generate(random, bias).value, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Command[] {
    return Array.isArray(value);
  }

  override shrink(commands: Command[]): fc.Stream<fc.Value<Command[]>> {
    return fc.stream(shorter(commands)).map((value) => new fc.Value(value, undefined));
  }
}

function* shorter(commands: Command[]): IterableIterator<Command[]> {
  for (let size = Math.ceil(commands.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let end = commands.length; end > 0; end -= size) {
      yield [...commands.slice(0, Math.max(0, end - size)), ...commands.slice(end)];
    }
  }
  for (const [index, command] of commands.entries()) {
    for (const simpler of simplerThan(command)) yield commands.with(index, simpler);
  }
}

function simplerThan(command: Command): Command[] {
  const simpler: Partial<Command>[] = [{ choice: 'none' }, { take: 'since' }, { who: 's1' }];
  return simpler
    .map((change) => ({ ...command, ...change }))
    .filter((changed) => JSON.stringify(changed) !== JSON.stringify(command));
}
