import type { ComponentChildren } from 'preact';
import { displayText } from '../../../model/display.ts';
import type { ApiError } from '../app/api-client.ts';
import type { Loaded } from '../app/load.ts';
import { capital } from './shown.ts';

/** What a view shows while it has nothing to show yet. It says so only if that takes a while. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}

interface FailedProps {
  readonly error: ApiError;
  readonly again?: () => void;
}

export function Failed({ error, again }: FailedProps) {
  return (
    <div class="failed" role="alert">
      <p>
        <strong>{sentence(error.message)}</strong>
        {error.path !== null && <code>{displayText(error.path)}</code>}
      </p>
      {error.hint !== null && <p>{sentence(error.hint)}</p>}
      <p class="quiet">
        <code>{error.code}</code>
      </p>
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Nothing is there, which is no error: says what to do so that something will be. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{props.title}</strong>
      </p>
      {props.children}
    </div>
  );
}

interface EitherProps<T> {
  readonly of: Loaded<T>;
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** One of the three states of something that is loaded. */
export function Either<T>({ of: loaded, what, children }: EitherProps<T>) {
  if (loaded.state === 'loading') return <Loading what={what} />;
  if (loaded.state === 'failed') return <Failed error={loaded.error} again={loaded.again} />;
  return <>{children(loaded.value)}</>;
}

/** Messages of errors begin small and end without a full stop, as terminals show them. */
function sentence(text: string): string {
  const whole = capital(displayText(text));
  return /[.!?:]$/.test(whole) ? whole : `${whole}.`;
}
