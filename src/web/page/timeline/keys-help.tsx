import type { RefObject } from 'preact';

const KEYS = [
  ['j  k', 'next older, next newer'],
  ['Enter', 'open'],
  ['/', 'filter; Escape clears it'],
  ['+  −  0', 'zoom nearer, farther, all'],
  ['←  →', 'move along the time'],
  ['?', 'this list'],
] as const;

export function KeysHelp({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} class="keys-help" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split('  ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
