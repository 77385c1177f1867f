import { createElement, Fragment, type ReactElement, useSyncExternalStore } from 'react';
import type { Paint } from '../../../terminal/paint.ts';
import { liveView } from '../live-view.ts';
import type { UIStore } from '../ui-store.ts';
import { LiveRegion } from './live-region.ts';
import { Transcript } from './transcript.ts';

export interface ScreenProps {
  readonly store: UIStore;
  readonly paint: Paint;
  readonly now: () => number;
  /** Whether only what has scrolled by is left: the end. */
  readonly ended: boolean;
}

/** Everything there is to see. */
export function Screen({ store, paint, now, ended }: ScreenProps): ReactElement {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const view = ended ? null : liveView(state, { paint, now: now() });
  return createElement(
    Fragment,
    null,
    createElement(Transcript, { scrolled: state.scrolled }),
    view === null ? null : createElement(LiveRegion, { view, paint }),
  );
}
