import type { ComponentChildren } from 'preact';
import { displayText } from '../../../model/display.ts';
import type { ApiError } from '../app/api-client.ts';
import type { Loaded } from '../app/load.ts';

/** What a view shows while it has nothing to show yet. It says so only if that takes a while. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}

export function Failed({
  error,
  again,
}: {
  readonly error: ApiError;
  readonly again?: () => void;
}) {
  return (
    <div class="failed" role="alert">
      <p>
        <strong>{sentence(displayText(error.message))}</strong>
        {error.path === null ? null : <code>{displayText(error.path)}</code>}
      </p>
      {error.hint === null ? null : <p>{sentence(displayText(error.hint))}</p>}
      <p class="quiet">
        <code>{error.code}</code>
      </p>
      {again === undefined ? null : (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Nothing is there, which is no error: says what to do so that something will be. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

/** One of the three states of something that is loaded. */
export function Either<T>({
  of: loaded,
  what,
  again,
  children,
}: {
  readonly of: Loaded<T>;
  readonly what: string;
  readonly again?: () => void;
  readonly children: (value: T) => ComponentChildren;
}) {
  if (loaded.state === 'loading') return <Loading what={what} />;
  if (loaded.state === 'failed') {
    return <Failed error={loaded.error} {...(again === undefined ? {} : { again })} />;
  }
  return <>{children(loaded.value)}</>;
}

/** Messages of errors begin small and end without a full stop, as terminals show them. */
function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?:]$/.test(whole) ? whole : `${whole}.`;
}

/** Something wide, such as a table, that scrolls by itself; also with the keyboard. */
export function Scrolled({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the arrow keys.
    <section class="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
