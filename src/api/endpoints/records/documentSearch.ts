import type { Static, TSchema } from 'typebox';
import { invalid, type ProblemCode } from '../../../model/errors.ts';
import type { Call } from '../../../services/call.ts';
import type { DocumentScope, DocumentTable } from '../../../store/search/documents/documentTable.ts';
import { exportDocuments } from '../../../store/search/exportDocuments.ts';
import { searchJson } from '../../../store/search/searchJson.ts';
import { type Endpoint, endpoint, type Input } from '../../http/endpoint.ts';
import { exportable } from '../../http/exportable.ts';
import { checkMatched, checkTimeseries, type familyQ, familyQReply } from './familyQ.ts';
import { exportReachable, searchReachable } from './searchReachable.ts';

type Definition<P extends TSchema> = {
  path: string;
  tag: string;
  summary: string;
  params?: P;
  body: typeof familyQ;
  table: DocumentTable;
  shape: { names: readonly string[]; schema: TSchema };
  problems: readonly ProblemCode[];
  /** Documents that the caller may search; `probable` itself, if they are those. */
  scope(call: Call, params: Static<P>, probable?: DocumentScope): Promise<DocumentScope>;
  /** The likely scope, never more than the caller's own: it is searched while `scope` is still being looked up. */
  probable?(call: Call, params: Static<P>): DocumentScope | undefined;
};

/** A search of family Q (docs/api-spec.md), as JSON or as an export. */
export function documentSearch<P extends TSchema>({
  table,
  shape,
  scope,
  probable,
  ...definition
}: Definition<P>): Endpoint {
  type SearchInput = Input<Static<P>, unknown, Static<typeof familyQ>>;
  const search = endpoint({
    ...definition,
    method: 'POST',
    reply: familyQReply(shape.schema),
    effect: 'read',
    isReport: true,
    handle: async (call, { params, body }) => {
      checkTimeseries(body.timeseries);
      checkMatched(body);
      const { reports } = call.services;
      const find = (scope: DocumentScope) =>
        searchReachable(call, scope, (within, missing) =>
          searchJson(reports, table, within, body, shape.names, call.now, missing),
        );
      const guess = probable?.(call, params);
      if (!guess) return { json: await find(await scope(call, params)) };
      const [allowed, outcome] = await Promise.allSettled([scope(call, params, guess), find(guess)]);
      const within = settledValue(allowed);
      return { json: within === guess ? settledValue(outcome) : await find(within) };
    },
  });
  return exportable(search, shape.names, async (call, input, names) => {
    const typed = input as SearchInput;
    checkTimeseries(typed.body.timeseries);
    if (typed.body.matched)
      throw invalid('/matched', 'not-exported', 'is for JSON; leave it out of an export.');
    const { reports } = call.services;
    return exportReachable(call, await scope(call, typed.params), (within) =>
      exportDocuments(reports, table, within, typed.body, names, call.now),
    );
  });
}

function settledValue<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
