import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failed, Loading } from '../ui/states.tsx';
import { ApiError } from './api-client.ts';
import { ThisProject } from './projects.ts';
import type { Route, RouteOf } from './routes.ts';

/** A view: shown in the main part of the page while its place is open. It begins with a heading `h1`. */
export type View<Name extends Route['view']> = ComponentType<{ readonly route: RouteOf<Name> }>;

/** Where views register. Each is loaded when it is first shown. */
const VIEWS: { readonly [Name in Route['view']]?: () => Promise<View<Name>> } = {
  home: async () => (await import('../timeline/home-view.tsx')).HomeView,
  timeline: async () => (await import('../timeline/timeline-view.tsx')).TimelineView,
  checkpoint: async () => (await import('../checkpoint/checkpoint-view.tsx')).CheckpointView,
  rewind: async () => (await import('../rewind/rewind-view.tsx')).RewindView,
  undo: async () => (await import('../rewind/rewind-view.tsx')).UndoView,
  file: async () => (await import('../file/file-view.tsx')).FileView,
  executions: async () => (await import('../executions/executions-view.tsx')).ExecutionsView,
  store: async () => (await import('../store/store-view.tsx')).StoreView,
};

export function CurrentView({ route }: { readonly route: Route }) {
  const [shown, setShown] = useState<{ name: string; View: View<Route['view']> } | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    const load = VIEWS[route.view] as (() => Promise<View<Route['view']>>) | undefined;
    setError(null);
    if (load === undefined) {
      setError(new ApiError(404, { code: 'no-such-view', message: 'this link leads nowhere' }));
      return;
    }
    let isWanted = true;
    load().then(
      (View) => isWanted && setShown({ name: route.view, View }),
      (failure) => isWanted && setError(ApiError.of(failure)),
    );
    return () => {
      isWanted = false;
    };
  }, [route.view]);
  if (error !== null) {
    return (
      <>
        <h1>{error.status === 404 ? 'Nothing is here' : 'The view cannot be shown'}</h1>
        <Failed error={error} />
      </>
    );
  }
  if (shown?.name !== route.view) return <Loading what="the view" />;
  const { View } = shown;
  return (
    <ThisProject.Provider value={('project' in route && route.project) || ''}>
      <View route={route} />
    </ThisProject.Provider>
  );
}
