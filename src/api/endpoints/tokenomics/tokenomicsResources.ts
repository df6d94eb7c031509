import { Type } from 'typebox';
import { Problem } from '../../../model/errors.ts';
import { Shape, Text } from '../../../model/schema.ts';
import { deleteRecord } from '../../../services/records/deleteRecord.ts';
import { prepareCategory, prepareSchedule } from '../../../services/tokenomics/prepareTokenomics.ts';
import { findIdByUid } from '../../../store/contracts/tokenomics.ts';
import { contractTable } from '../../../store/tables/contractTable.ts';
import { nounOf } from '../../../store/tables/table.ts';
import { tokenomicsCategoryTable } from '../../../store/tables/tokenomicsCategoryTable.ts';
import { tokenomicsScheduleTable } from '../../../store/tables/tokenomicsScheduleTable.ts';
import { defineResource, precondition, type Resource } from '../../http/defineResource.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const category = defineResource({
  path: '/tokenomics/category',
  tag: 'Tokenomics',
  about: 'A share of a token’s supply and the address that holds it.',
  table: tokenomicsCategoryTable,
  owner: { member: 'contractId', table: contractTable, use: 'write' },
  without: ['delete'],
  prepare: prepareCategory,
});

const schedule = defineResource({
  path: '/tokenomics/schedule',
  tag: 'Tokenomics',
  about: 'The amounts of a category that are released, by date.',
  table: tokenomicsScheduleTable,
  owner: { member: 'categoryId', table: tokenomicsCategoryTable, use: 'write' },
  without: ['delete'],
  prepare: prepareSchedule,
});

/** Tokenomics records are deleted by id or uid, and the response has the uid (docs/api-spec.md). */
function deleteByIdOrUid({ kind }: Resource, path: string): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: `${path}/{id}`,
    tag: 'Tokenomics',
    summary: `Delete a ${nounOf(kind.table)}`,
    params: Shape(
      {
        id: Type.String({ description: 'The id or the uid.', minLength: 1, maxLength: 100, examples: ['1'] }),
      },
      ['id'],
    ),
    reply: Shape({ uid: Text('The uid of the deleted record.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e') }, [
      'uid',
    ]),
    effect: 'change',
    problems: ['not-found', 'precondition-failed'],
    handle: async (call, input) => {
      const { params } = input;
      const id = /^\d{1,15}$/.test(params.id)
        ? Number(params.id)
        : await findIdByUid(call.db, kind.table, call.scope, params.id);
      if (id === undefined) throw new Problem('not-found', `There is no such ${nounOf(kind.table)}.`);
      const record = await deleteRecord(call, kind, id, precondition(kind, input));
      return { body: { uid: record.uid } };
    },
  });
}

export const tokenomicsCategory = {
  ...category,
  endpoints: [...category.endpoints, deleteByIdOrUid(category, '/tokenomics/category')],
};
export const tokenomicsSchedule = {
  ...schedule,
  endpoints: [...schedule.endpoints, deleteByIdOrUid(schedule, '/tokenomics/schedule')],
};
