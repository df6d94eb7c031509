import { type Static, Type } from 'typebox';
import { chainUids } from '../../../chains/chains.ts';
import { walletTypes } from '../../../model/enumerations.ts';
import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { prepareWallet } from '../../../services/wallets/prepareWallet.ts';
import { walletTable } from '../../../store/wallets/walletTable.ts';
import { detail, fixed, given, hidden, output } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Flag, Id, List, Name, nullable, OneOf, Shape, Text, Words } from '../../http/schema.ts';
import { idField, statusField, tenantId, timeFields } from '../records/common.ts';

const allowedCall = Shape(
  {
    contractId: nullable(Id('A contract of the tenant.')),
    address: Text('Or its address.', '0xdAC17F958D2ee523a2206206994597C13D831ec7', { max: 200 }),
    functions: nullable(
      List(
        Text('Signature of a function.', 'pause()', { min: 1, max: 1000 }),
        'Functions that may be called; every one if left out or null.',
        { maxItems: 100 },
      ),
    ),
  },
  [],
);
const allowedCalls = Type.Unsafe<Static<typeof allowedCall>[]>({
  ...List(
    allowedCall,
    'What the wallet may call, when an action is saved and when it is fired; every contract of the tenant if left out or null, nothing if empty.',
    { maxItems: 100 },
  ),
  examples: [[{ address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', functions: ['pause()'] }]],
});

export const wallet = defineResource({
  path: '/wallet',
  tag: 'Wallets',
  noun: 'wallet',
  about:
    'A wallet signs the calls of actions. Its key is sealed, or made when none is given, and never shown.',
  table: walletTable,
  owner: 'tenant',
  limit: 'maxWallets',
  needsId: true,
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: fixed(tenantId, { always: true }),
    chainUid: fixed(OneOf(chainUids, 'The chain.', 'ethereum'), { required: true }),
    address: output(
      Text(
        'Direct address of the wallet, derived from its key.',
        '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        { max: 200 },
      ),
      {
        always: true,
      },
    ),
    name: given(Name('What to call it.', 'Guardian'), { required: true }),
    type: fixed(OneOf(walletTypes, 'Where the key lives: sealed here, or in a hardware module.', 'DEFAULT'), {
      default: 'DEFAULT',
    }),
    tags: given(Words('Free labels.', ['pause']), { default: [] }),
    privateKey: hidden(
      Text(
        'Private key in the form of its chain; allowed only when `type` is DEFAULT.',
        '0x0000000000000000000000000000000000000000000000000000000000000001',
        {
          min: 1,
          max: 2000,
        },
      ),
      { fixed: true },
    ),
    maxGasPrice: detail(
      Text(
        'Most that a unit of gas may cost, in gwei; what is usual on the chain if left out, no limit if null.',
        '200',
        {
          max: 40,
          format: 'amount',
        },
      ),
    ),
    maxHourlySpend: detail(
      Text(
        'Most that gas may cost within an hour, in the currency of the chain; what is usual there if left out, no limit if null.',
        '0.5',
        {
          max: 40,
          format: 'amount',
        },
      ),
    ),
    allowedCalls: detail(allowedCalls),
    requireApproval: detail(
      Flag(
        'Whether changing the wallet or its actions and executing them by hand waits for the approval of a second user. Alerts fire them without asking.',
      ),
      { default: false },
    ),
  },
  prepare: prepareWallet,
  beforeDelete: (call, { id }) =>
    refuseIfUsed(call, 'actions of a wallet', Number(id), 'actions sign with this wallet'),
});
