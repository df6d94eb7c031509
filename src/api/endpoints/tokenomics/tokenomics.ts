import { Type } from 'typebox';
import { Problem } from '../../../model/errors.ts';
import { deleteRecord } from '../../../services/records/deleteRecord.ts';
import { prepareCategory, prepareSchedule } from '../../../services/tokenomics/prepareTokenomics.ts';
import { contractTable } from '../../../store/contracts/contractTable.ts';
import { nounOf } from '../../../store/table.ts';
import { findIdByUid } from '../../../store/tokenomics/tokenomics.ts';
import { tokenomicsCategoryTable } from '../../../store/tokenomics/tokenomicsCategoryTable.ts';
import { tokenomicsScheduleTable } from '../../../store/tokenomics/tokenomicsScheduleTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { fixed, given, output } from '../../http/fields.ts';
import { defineResource, precondition, type Resource } from '../../http/resource.ts';
import { Id, List, Millis, Name, Shape, Text } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

const uid = output(
  Text('Identifier that can stand for the id when deleting.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e'),
  { always: true },
);

const category = defineResource({
  path: '/tokenomics/category',
  tag: 'Tokenomics',
  noun: 'tokenomics category',
  about: 'A share of a token’s supply and the address that holds it.',
  table: tokenomicsCategoryTable,
  owner: { member: 'contractId', table: contractTable, use: 'write' },
  without: ['delete'],
  fields: {
    id: idField,
    uid,
    ...timeFields,
    status: statusField,
    contractId: fixed(Id('The token contract.'), { required: true }),
    name: given(Name('Name of the category.', 'Team'), { required: true }),
    description: given(Text('What the share is for.', 'Vests over four years.', { max: 10_000 })),
    address: given(
      Text(
        'Address that holds the allocation, in the form of the contract’s chain.',
        '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        { max: 200 },
      ),
    ),
    amount: given(Text('The whole allocation in tokens.', '1000000', { max: 160, format: 'amount' })),
  },
  prepare: prepareCategory,
});

const schedule = defineResource({
  path: '/tokenomics/schedule',
  tag: 'Tokenomics',
  noun: 'tokenomics schedule',
  about: 'When how much of a category is released.',
  table: tokenomicsScheduleTable,
  owner: { member: 'categoryId', table: tokenomicsCategoryTable, use: 'write' },
  without: ['delete'],
  fields: {
    id: idField,
    uid,
    ...timeFields,
    status: statusField,
    categoryId: fixed(Id('The category.'), { required: true }),
    name: given(Name('Name of the schedule.', 'Yearly'), { required: true }),
    amounts: given(
      List(
        Shape(
          {
            timestamp: Millis('When the amount is released.'),
            amount: Text('How many tokens.', '250000', { max: 160, format: 'amount' }),
          },
          ['timestamp', 'amount'],
        ),
        'Dated amounts, kept in order of time; several of one time add up.',
        { minItems: 1, maxItems: 1000 },
      ),
      { required: true },
    ),
  },
  prepare: prepareSchedule,
});

/** The seed deletes tokenomics records by id or uid and answers with the uid. */
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
