import { byTenant, id, status, type Table, times } from '../table.ts';

export const walletTable: Table = {
  kind: 'wallet',
  name: 'wallet',
  members: {
    ...id,
    ...times,
    ...status,
    tenantId: { type: 'integer' },
    chainUid: { type: 'string' },
    address: { type: 'string', isAddress: true },
    name: { type: 'string' },
    type: { type: 'string' },
    tags: { type: 'string[]' },
    maxGasPrice: { type: 'string', as: 't.max_gas_price::text' },
    maxHourlySpend: { type: 'string', as: 't.max_hourly_spend::text' },
    allowedCalls: { type: 'json' },
    requireApproval: { type: 'boolean' },
  },
  hidden: { sealedKey: 'bytes', moduleKeyId: 'string' },
  visible: byTenant,
  writable: byTenant,
  unique: {
    wallet_address: {
      member: 'privateKey',
      message: 'The tenant already has a wallet with this key on this chain.',
    },
  },
};
