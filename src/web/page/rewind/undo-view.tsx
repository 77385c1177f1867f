import type { PlanRequest } from '../../api.ts';
import { linkTo, type RouteOf } from '../app/routes.ts';
import { PlanPage } from './plan-page.tsx';

/** An undo before it happens: of an operation, or of the last one. */
export function UndoView({ route }: { readonly route: RouteOf<'undo'> }) {
  const { project, operation } = route;
  const base: PlanRequest = {
    kind: 'undo',
    ...(operation === undefined ? {} : { operationId: operation }),
  };
  return (
    <PlanPage
      key={`${project} ${operation}`}
      project={project}
      base={base}
      title="Undo"
      back={linkTo({ view: 'timeline', project })}
    />
  );
}
