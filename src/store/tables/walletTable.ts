import { type Static, Type } from 'typebox';
import { walletTypes } from '../../model/enumerations.ts';
import {
  Flag,
  Id,
  List,
  maxId,
  Name,
  nullable,
  OneChain,
  OneOf,
  Shape,
  Text,
  Words,
} from '../../model/schema.ts';
import { idField, statusField, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable, readOnly, writeOnce } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

/** In which unit people write the price of gas, by the family of the chain. */
export const priceUnits =
  'in gwei on EVM chains and VeChain, sun on Tron, sat/vB on Bitcoin, micro-lamports on Solana, stroops on Stellar';

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
    'What the wallet may call, when an action is saved and when it is fired; nothing if empty, which is how a ' +
      'new wallet begins, and every contract of the tenant if null.',
    { maxItems: 100 },
  ),
  examples: [[{ address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', functions: ['pause()'] }]],
});

export const walletTable = defineTable({
  kind: 'wallet',
  name: 'wallet',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: createOnly(tenantId, { notNull: true }),
    chainUid: createOnly(OneChain('The chain.'), { required: true }),
    address: readOnly(
      Text(
        'Direct address of the wallet, derived from its key.',
        '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        { max: 200 },
      ),
      { notNull: true, isAddress: true },
    ),
    name: editable(Name('What to call it.', 'Guardian'), { required: true }),
    type: createOnly(
      OneOf(walletTypes, 'Where the key lives: sealed here, or in a hardware module.', 'DEFAULT'),
      {
        default: 'DEFAULT',
      },
    ),
    tags: editable(Words('Free labels.', ['pause']), { default: [] }),
    privateKey: writeOnce(
      Text(
        'Private key in the form of its chain; allowed only when `type` is DEFAULT.',
        '0x0000000000000000000000000000000000000000000000000000000000000001',
        {
          min: 1,
          max: 2000,
        },
      ),
    ),
    maxGasPrice: editable(
      Text(
        `Most that a unit of gas may cost: ${priceUnits}. What is usual on the chain if left out, no limit if null.`,
        '200',
        {
          max: 40,
          format: 'amount',
        },
      ),
      { detail: true, as: (t) => `${t}.max_gas_price::text` },
    ),
    maxHourlySpend: editable(
      Text(
        'Most that gas may cost within an hour, in the currency of the chain; what is usual there if left ' +
          'out, no limit if null.',
        '0.5',
        {
          max: 40,
          format: 'amount',
        },
      ),
      { detail: true, as: (t) => `${t}.max_hourly_spend::text` },
    ),
    allowedCalls: editable(allowedCalls, { detail: true }),
    requireApproval: editable(
      Flag(
        'Whether changing the wallet or its actions and executing them by hand waits for the approval of a ' +
          'second user. Alerts fire them without asking.',
      ),
      { default: false, detail: true },
    ),
    approvers: editable(
      Type.Unsafe<number[]>({
        type: 'array',
        items: { type: 'integer', minimum: 1, maximum: maxId },
        uniqueItems: true,
        minItems: 1,
        maxItems: 100,
        description:
          'Users of the tenant who alone may approve what touches the wallet; any other user than the one who ' +
          'asks if left out or null.',
        examples: [null],
      }),
      { detail: true },
    ),
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
});
