import type { Static, TSchema } from 'typebox';
import type { ProblemCode } from '../../../model/errors.ts';
import type { Call } from '../../../services/call.ts';
import type { DocumentScope, DocumentTable } from '../../../store/documents/documentTable.ts';
import { exportDocuments } from '../../../store/documents/exportDocuments.ts';
import { searchJson } from '../../../store/documents/searchDocuments.ts';
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
  /** What the caller may search. */
  scope(call: Call, params: Static<P>): Promise<DocumentScope>;
};

/** A search of family Q (docs/api-spec.md), as JSON or as an export. */
export function documentSearch<P extends TSchema>({
  table,
  shape,
  scope,
  ...definition
}: Definition<P>): Endpoint {
  type SearchInput = Input<Static<P>, unknown, Static<typeof familyQ>>;
  const open = async (call: Call, { params, body }: Pick<SearchInput, 'params' | 'body'>) => {
    checkTimeseries(body.timeseries);
    return scope(call, params);
  };
  const search = endpoint({
    ...definition,
    method: 'POST',
    reply: familyQReply(shape.schema),
    effect: 'read',
    isReport: true,
    handle: async (call, input) => ({
      json: await searchJson(
        call.services.reports,
        table,
        await open(call, input),
        input.body,
        shape.names,
        call.now,
      ),
    }),
  });
  return exportable(search, shape.names, async (call, input, names) => {
    const typed = input as SearchInput;
    const { reports } = call.services;
    return exportDocuments(reports, table, await open(call, typed), typed.body, names, call.now);
  });
}
