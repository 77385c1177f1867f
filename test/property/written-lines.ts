import type { Actor, Command } from './commands.ts';
import type { Scene } from './mutations.ts';

export const SLOTS = 6;

const OWN_SLOTS: Record<Actor, readonly [number, number]> = {
  s1: [0, 1],
  's1-helper': [0, 1],
  s2: [2, 3],
  person: [4, 5],
};

/** Everybody keeps to slots of their own; one edit in eight goes anywhere, so that edits collide. */
export function slotFor({ who, other, pick }: Command): number {
  return pick % 8 === 7 ? other % SLOTS : (OWN_SLOTS[who][other % 2] ?? 0);
}

/** New text for a slot, different from any other: one line or two that say who wrote it, or none. */
export function lineBy(
  scene: Pick<Scene, 'fresh'>,
  writer: string,
  path: string,
  pick: number,
): string {
  const line = (): string => `line ${scene.fresh()} by ${writer} in ${plainName(path)}`;
  if (pick % 16 === 1) return '';
  return pick % 16 === 2 ? `${line()}\n${line()}` : line();
}

export interface WrittenLine {
  readonly line: string;
  readonly number: number;
  readonly writer: string;
}

/** The lines in a file that were written into it under its present name. */
export function writtenLines(path: string, content: string): WrittenLine[] {
  const here = ` in ${plainName(path)}`;
  return content.split(/\r?\n/).flatMap((line) => {
    const [, number, writer] = /^line (\d+) by (\S+) in /.exec(line) ?? [];
    if (writer === undefined || !line.endsWith(here)) return [];
    return [{ line, number: Number(number), writer }];
  });
}

function plainName(path: string): string {
  return JSON.stringify(path).replace(/[^\x20-\x7e]/g, '?');
}
