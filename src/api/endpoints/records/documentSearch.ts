import type { Static, TSchema } from 'typebox';
import { Problem, type ProblemCode } from '../../../model/errors.ts';
import type { Call } from '../../../services/call.ts';
import type { DocumentScope, DocumentTable } from '../../../store/search/documents/documentTable.ts';
import { exportDocuments } from '../../../store/search/exportDocuments.ts';
import { findReachable } from '../../../store/search/findReachable.ts';
import { searchJson } from '../../../store/search/searchJson.ts';
import { type Endpoint, endpoint, type Input } from '../../http/endpoint.ts';
import { exportable } from '../../http/exportable.ts';
import { checkTimeseries, type familyQ, familyQReply } from './familyQ.ts';

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
      const find = async (within: DocumentScope) => {
        const { reports } = call.services;
        try {
          return await searchJson(reports, table, within, body, shape.names, call.now);
        } catch (error) {
          const isOfAll = call.scope.all && within.tenantIds?.length !== 1;
          if (!isOfAll || !(error instanceof Problem) || error.code !== 'unavailable') throw error;
          // Of everybody's documents, those that can be reached serve better than none.
          const part = await findReachable(reports, within);
          if (!part) throw error;
          return await searchJson(reports, table, part.scope, body, shape.names, call.now, part.missing);
        }
      };
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
    const { reports } = call.services;
    return exportDocuments(reports, table, await scope(call, typed.params), typed.body, names, call.now);
  });
}

function settledValue<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
