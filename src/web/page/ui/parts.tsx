import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CallChange, ChangedFile } from '../../api.ts';
import { counted } from './shown.ts';

// What several views have in common.

/** Nothing where no line changed: an image, a folder, permissions. */
export function LineCounts({
  insertions,
  deletions,
}: Pick<CallChange, 'insertions' | 'deletions'>) {
  if (insertions === 0 && deletions === 0) return null;
  return (
    <span class="line-counts">
      <span class="insertions">
        +{insertions.toLocaleString('en')}
        <span class="unseen"> lines added,</span>
      </span>{' '}
      <span class="deletions">
        −{deletions.toLocaleString('en')}
        <span class="unseen"> lines removed</span>
      </span>
    </span>
  );
}

const SURENESS = {
  exact: 'A tool named this file: it is certain who changed it.',
  inferred: 'It changed while only this command ran.',
  shared: 'Several were at work: it is not certain who changed it.',
} as const;

/** How sure it is who changed a file. */
export function Sureness({ of }: { readonly of: CallChange['attribution'] }) {
  return (
    <span class={`badge sureness ${of}`} title={SURENESS[of]}>
      {of}
    </span>
  );
}

export function TakenBack({ of }: { readonly of: ChangedFile['takenBack'] }) {
  if (of === 'no') return null;
  return <span class="badge taken-back">{of === 'yes' ? 'taken back' : 'partly taken back'}</span>;
}

interface FoldProps {
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  /** Read out. */
  readonly children: ComponentChildren;
}

/** Opens and closes what is below it. */
export function Fold({ isOpen, setOpen, children }: FoldProps) {
  return (
    <button
      type="button"
      class="plain fold"
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
    >
      <span class="unseen">{children}</span>
    </button>
  );
}

interface CheckProps {
  readonly checked: boolean;
  readonly choose: (isChecked: boolean) => void;
  /** One of the group with this name; left out: a box of its own. */
  readonly group?: string;
  readonly children: ComponentChildren;
}

/** A box to tick, or one of several ways, with its text. */
export function Check({ checked, choose, group, children }: CheckProps) {
  return (
    <label class="check">
      <input
        type={group === undefined ? 'checkbox' : 'radio'}
        name={group}
        checked={checked}
        onChange={({ currentTarget }) => choose(currentTarget.checked)}
      />
      {children}
    </label>
  );
}

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: T, name: string, why?: string])[];
  readonly value: T;
  readonly choose: (value: T) => void;
}

/** Buttons side by side of which one is pressed. */
export function Segmented<T extends string>(props: SegmentedProps<T>) {
  return (
    <fieldset class="segmented">
      <legend class="unseen">{props.label}</legend>
      {props.options.map(([value, name, why]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          title={why}
          onClick={() => props.choose(value)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

/** The first of many things, and a button that shows more of them. */
export function useSome<T>(all: readonly T[], first: number, step: number, what: string) {
  const [most, setMost] = useState(first);
  const more = all.length - most;
  const button = more > 0 && (
    <button type="button" onClick={() => setMost(most + step)}>
      Show {counted(more, what)}
    </button>
  );
  return [all.slice(0, most), button] as const;
}

interface TableProps {
  readonly label: string;
  /** Names over the columns: of `number`s, or `unseen` because the column needs none. */
  readonly columns: Readonly<Record<string, 'number' | 'unseen' | ''>>;
  readonly children: ComponentChildren;
}

/** A table that scrolls by itself where it is too wide; also with the keyboard. */
export function Table({ label, columns, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the arrow keys.
    <section class="scrolled" aria-label={label} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {Object.entries(columns).map(([name, kind]) => (
              <th key={name} scope="col" class={kind === 'number' ? kind : undefined}>
                {kind === 'unseen' ? <span class={kind}>{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </section>
  );
}
