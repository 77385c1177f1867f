import type { CallChange } from '../../api.ts';

const SURENESS = {
  exact: ['exact', 'A tool named this file: it is certain who changed it.'],
  inferred: ['inferred', 'It changed while only this command ran.'],
  shared: ['shared', 'Several were at work: it is not certain who changed it.'],
} as const;

/** How sure it is who changed a file. */
export function Sureness({ of }: { readonly of: CallChange['attribution'] }) {
  const [word, why] = SURENESS[of];
  return (
    <span class={`badge sureness ${word}`} title={why}>
      {word}
    </span>
  );
}
