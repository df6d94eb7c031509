import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { prepareWallet } from '../../../services/wallets/prepareWallet.ts';
import { walletTable } from '../../../store/tables/walletTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const wallet = defineResource({
  path: '/wallet',
  tag: 'Wallets',
  about:
    'A wallet signs the calls of actions. Its key is sealed, or made when none is given, and never shown.',
  table: walletTable,
  owner: 'tenant',
  limit: 'maxWallets',
  prepare: prepareWallet,
  beforeDelete: (call, { id }) =>
    refuseIfUsed(call, 'actions of a wallet', id, 'actions sign with this wallet'),
});
