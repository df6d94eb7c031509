import { finishAction, prepareAction } from '../../../services/actions/prepareAction.ts';
import { actionTable } from '../../../store/tables/actionTable.ts';
import { contractTable } from '../../../store/tables/contractTable.ts';
import { walletTable } from '../../../store/tables/walletTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const action = defineResource({
  path: '/action',
  tag: 'Actions',
  about: 'A call of a function on a contract, signed by a wallet and fired by alerts.',
  table: actionTable,
  owner: { member: 'contractId', table: contractTable, use: 'write' },
  limit: 'maxActions',
  references: { walletId: walletTable },
  prepare: prepareAction,
  finish: finishAction,
  hasBatch: true,
});
