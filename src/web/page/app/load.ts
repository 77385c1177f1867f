import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type CallOptions, get } from './api-client.ts';
import { inProject, useProject } from './projects.ts';

type DependencyList = readonly unknown[];

type Loading<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: ApiError }
  /** `isStale`: newer ones are on their way. */
  | { readonly state: 'ready'; readonly value: T; readonly isStale: boolean };

export type Loaded<T> = Loading<T> & { readonly again: () => void };

/**
 * Loads what a view shows, again when a dependency changes or `again` is called. The old value stays meanwhile, as long
 * as it is about the same `subject`.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: DependencyList,
  subject: DependencyList = dependencies,
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loading<T>>({ state: 'loading' });
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
        if (!control.signal.aborted) setLoaded({ state: 'failed', error: ApiError.of(error) });
      },
    );
    return () => control.abort();
  }, [...dependencies, round]);
  const again = useCallback(() => setRound((last) => last + 1), []);
  return { ...loaded, again };
}

interface Question {
  readonly query?: CallOptions['query'];
  /** What else the answer depends on. */
  readonly about?: DependencyList;
}

/** What the server answers at an address in the project of the view. */
export function useAnswer<T>(
  address: readonly (string | number)[],
  { query = {}, about = [] }: Question = {},
): Loaded<T> {
  const path = inProject(useProject(), ...address);
  const load = (signal: AbortSignal) => get<T>(path, { query, signal });
  return useLoaded(load, [path, JSON.stringify(query), ...about]);
}
