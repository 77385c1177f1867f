import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api-client.ts';

type DependencyList = readonly unknown[];

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: ApiError }
  /** `isStale`: newer ones are on their way. */
  | { readonly state: 'ready'; readonly value: T; readonly isStale: boolean };

/**
 * Loads what a view shows, again when a dependency changes or `again` is called. The old value stays meanwhile, as long
 * as it is about the same `subject`.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: DependencyList,
  subject: DependencyList = dependencies,
): readonly [loaded: Loaded<T>, again: () => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const [round, setRound] = useState(0);
  const shown = useRef<DependencyList>(subject);
  useEffect(() => {
    const control = new AbortController();
    const isSame = shown.current.every((one, index) => one === subject[index]);
    shown.current = subject;
    setLoaded((last) =>
      last.state === 'ready' && isSame ? { ...last, isStale: true } : { state: 'loading' },
    );
    load(control.signal).then(
      (value) => {
        if (!control.signal.aborted) setLoaded({ state: 'ready', value, isStale: false });
      },
      (error) => {
        // Whoever aborted it starts it again.
        if (error instanceof DOMException && error.name === 'AbortError') return;
        if (!control.signal.aborted) setLoaded({ state: 'failed', error: asApiError(error) });
      },
    );
    return () => control.abort();
  }, [...dependencies, round]);
  const again = useCallback(() => setRound((last) => last + 1), []);
  return [loaded, again];
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, { code: 'page', message: String(error) });
}
