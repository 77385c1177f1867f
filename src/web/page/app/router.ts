import { type ReadonlySignal, signal } from '@preact/signals';
import { linkTo, type Route, routeOf } from './routes.ts';

const current = signal<Route>(routeOf(location.hash));

/** Where the page is. */
export const route: ReadonlySignal<Route> = current;

addEventListener('hashchange', () => {
  current.value = routeOf(location.hash);
});

export function goTo(place: Route): void {
  location.hash = linkTo(place);
}

/** Names the place anew without a step of the browser's history: for a filter that is being typed. */
export function renamePlace(place: Route): void {
  history.replaceState(null, '', linkTo(place));
  current.value = place;
}
