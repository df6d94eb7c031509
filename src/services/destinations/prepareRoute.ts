import { invalid, Problem, unprocessable } from '../../model/errors.ts';
import { lockTree, type PlacedRoute } from '../../store/destinations/routes.ts';
import { lockRecords, type Row } from '../../store/records/records.ts';
import { destinationTable } from '../../store/tables/destinationTable.ts';
import type { routeTable } from '../../store/tables/routeTable.ts';
import type { Call } from '../call.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';
import { checkQuery } from './prepareSilence.ts';

/** Routes below each other, the root included. */
const maxDepth = 10;
/** Cost of all queries of a tenant that may be tried on one alert. */
const maxCost = 20_000;

/** The tree of a tenant changes by one request at a time. */
export async function prepareRoute(call: Call, change: ChangeOf<typeof routeTable>): Promise<Row> {
  const { id, input, current } = change;
  const tenantId = tenantOf(change);
  const tree = await lockTree(call.db, tenantId);
  const parentId = input.parentId === undefined ? (current?.parentId ?? null) : input.parentId;
  checkPlace(tree, id, current === undefined ? undefined : current.parentId, parentId);
  checkRoot(parentId, { ...current, ...input });
  await checkDestinations(call, tenantId, input.destinationIds);
  const cost = checkCost(tree, id, input.query, call.now);
  const { order, continue: goesOn, ...others } = input;
  const isNew = current === undefined;
  return {
    ...others,
    ...(cost === undefined ? (isNew ? { cost: 0 } : {}) : { cost }),
    ...(goesOn === undefined ? {} : { goesOn }),
    ...(order !== undefined ? { position: order } : isNew ? { position: lastTurn(tree, parentId) } : {}),
    ...(isNew ? { status: input.status ?? (parentId === null ? 'DISABLED' : 'ACTIVE') } : {}),
  };
}

function checkPlace(
  tree: readonly PlacedRoute[],
  id: number | undefined,
  former: number | null | undefined,
  parentId: number | null,
): void {
  const routes = new Map(tree.map((route) => [route.id, route]));
  const root = tree.find((route) => route.parentId === null);
  if (parentId === null) {
    if (root && root.id !== id)
      throw new Problem(
        'conflict',
        `The tenant has a root already: name a route above this one, such as ${root.id}.`,
        {
          errors: [
            { pointer: '/parentId', code: 'not-unique', message: `The route ${root.id} is the root.` },
          ],
        },
      );
    return;
  }
  if (former === null)
    throw invalid('/parentId', 'root', 'must be null: the root stands above all routes of the tenant.');
  if (!routes.has(parentId))
    throw unprocessable('/parentId', 'unknown-reference', 'There is no route with this id.');
  const above: number[] = [];
  for (let at: number | null = parentId; at !== null; at = routes.get(at)?.parentId ?? null) {
    if (at === id)
      throw invalid(
        '/parentId',
        'cycle',
        `must not be the route itself or one below it: ${[...above, at].reverse().join(' > ')} > ${id}.`,
      );
    above.push(at);
  }
  const depth = above.length + (id === undefined ? 1 : heightOf(tree, id));
  if (depth > maxDepth)
    throw invalid(
      '/parentId',
      'too-deep',
      `would put routes ${depth} below each other, of which there may be ${maxDepth}. Put it further up, or say more in its query.`,
    );
}

/** The routes of the longest way down from a route, itself included. */
function heightOf(tree: readonly PlacedRoute[], id: number): number {
  const below = tree.filter(({ parentId }) => parentId === id);
  return 1 + Math.max(0, ...below.map((route) => heightOf(tree, route.id)));
}

/** Alerts that no other route takes must end somewhere. */
function checkRoot(parentId: number | null, { query, activeTimeSetId, continue: goesOn }: Row): void {
  if (parentId !== null) return;
  if (query != null)
    throw invalid('/query', 'root', 'must be null: the root takes all alerts that no other route takes.');
  if (activeTimeSetId != null)
    throw invalid(
      '/activeTimeSetId',
      'root',
      'must be null: the root takes alerts at all times. Give a route below it the time set.',
    );
  if (goesOn === true) throw invalid('/continue', 'root', 'must be false: no route follows the root.');
}

async function checkDestinations(
  call: Call,
  tenantId: number,
  ids: readonly number[] | undefined,
): Promise<void> {
  if (!ids || ids.length === 0) return;
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const known = await lockRecords(call.db, destinationTable, scope, ids, 'read');
  const index = ids.findIndex((id) => !known.has(id));
  if (index >= 0)
    throw unprocessable(
      `/destinationIds/${index}`,
      'unknown-reference',
      'There is no destination with this id.',
    );
}

function checkCost(
  tree: readonly PlacedRoute[],
  id: number | undefined,
  query: string | null | undefined,
  now: number,
): number | undefined {
  if (query === undefined) return undefined;
  const cost = query === null ? 0 : Math.ceil(checkQuery(query, now));
  const others = tree.reduce((sum, route) => sum + (route.id === id ? 0 : route.cost), 0);
  if (others + cost <= maxCost) return cost;
  throw unprocessable(
    '/query',
    'too-expensive',
    `costs ${cost}, and all routes of the tenant may cost ${maxCost} together, of which ${others} are taken. ` +
      'Name a field before each value, use fewer patterns, or join routes.',
  );
}

function lastTurn(tree: readonly PlacedRoute[], parentId: number | null): number {
  const siblings = tree.filter((route) => route.parentId === parentId && parentId !== null);
  return Math.min(1_000_000, siblings.reduce((last, { order }) => Math.max(last, order), 0) + 10);
}
