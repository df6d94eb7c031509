import type { Subject } from '../../query/lucene/createSubject.ts';
import { compileTimeSet } from '../../query/timeSets/timeSet.ts';
import type { StoredRoute } from '../../store/destinations/routes.ts';
import type { CompiledQuery } from './compileQuery.ts';
import { createGuardIndex } from './createGuardIndex.ts';
import type { RouteRule } from './routeRule.ts';

export type CompiledRoute = RouteRule &
  CompiledQuery &
  Pick<
    StoredRoute,
    'name' | 'escalationChainId' | 'groupBy' | 'waitSeconds' | 'intervalSeconds' | 'repeatSeconds'
  > & {
    parent: CompiledRoute | undefined;
    /** Its turn among its siblings. */
    turn: number;
  };

export type RouteTree = {
  root: CompiledRoute;
  size: number;
  /** The routes below each route whose queries may find the alert, in their order. */
  candidatesFor: (
    alert: Subject,
    pause: () => Promise<void>,
  ) => Promise<ReadonlyMap<CompiledRoute, CompiledRoute[]>>;
  /** All routes below each route, in their order. */
  children: ReadonlyMap<CompiledRoute, CompiledRoute[]>;
};

const everything: CompiledQuery = { guard: undefined, matcherAt: () => async () => true };

/** Compiles the routes of a tenant, siblings in their order; undefined without a root. Those below none of the others are left out. */
export function compileRoutes(
  stored: readonly StoredRoute[],
  compile: (query: string) => CompiledQuery,
): RouteTree | undefined {
  const below = new Map<number | null, StoredRoute[]>();
  for (const route of stored) below.set(route.parentId, [...(below.get(route.parentId) ?? []), route]);
  const [first] = below.get(null) ?? [];
  if (!first) return undefined;
  const children = new Map<CompiledRoute, CompiledRoute[]>();
  const root = compileRoute(first, undefined, 0, compile);
  // The list grows while it is read.
  const routes = [root];
  for (const parent of routes) {
    const compiled = (below.get(parent.id) ?? []).map((route, turn) =>
      compileRoute(route, parent, turn, compile),
    );
    children.set(parent, compiled);
    routes.push(...compiled);
  }
  const index = createGuardIndex(routes.slice(1));
  return {
    root,
    size: routes.length,
    children,
    candidatesFor: async (alert, pause) => {
      const found = new Map<CompiledRoute, CompiledRoute[]>();
      for (const route of await index.candidatesFor(alert, pause)) {
        if (!route.parent) continue;
        const siblings = found.get(route.parent);
        if (siblings) siblings.push(route);
        else found.set(route.parent, [route]);
      }
      for (const siblings of found.values()) siblings.sort((left, right) => left.turn - right.turn);
      return found;
    },
  };
}

function compileRoute(
  { query, activeTimeSet, muteTimeSet, parentId: _parentId, ...route }: StoredRoute,
  parent: CompiledRoute | undefined,
  turn: number,
  compile: (query: string) => CompiledQuery,
): CompiledRoute {
  return {
    ...route,
    parent,
    turn,
    activeTimeSet: activeTimeSet ? compileTimeSet(activeTimeSet) : undefined,
    muteTimeSet: muteTimeSet ? compileTimeSet(muteTimeSet) : undefined,
    ...(query === null ? everything : compile(query)),
  };
}
