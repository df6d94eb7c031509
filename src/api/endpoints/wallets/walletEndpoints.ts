import { Count, Id, List, Millis, nullable, OneChain, Shape, Text } from '../../../model/schema.ts';
import { readWalletBalance } from '../../../services/wallets/readWalletBalance.ts';
import { rotateWallet } from '../../../services/wallets/rotateWallet.ts';
import { replySchema } from '../../../store/tables/fields.ts';
import { walletTable } from '../../../store/tables/walletTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { wallet } from './wallet.ts';

const tag = 'Wallets';
const params = Shape({ id: Id('The wallet.') }, ['id']);
const address = Text('The address.', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', { max: 200 });
const amount = Text('Its balance, in the smallest unit of the currency.', '1000000000000000000', {
  pattern: '^[0-9]+$',
});
const formerKey = {
  address,
  balance: amount,
  rotatedAt: Millis('When the wallet got another key.'),
};
const limits = {
  maxGasPrice: nullable(Text('Most that a unit of gas may cost, in the unit of its chain.', '200')),
  maxHourlySpend: nullable(
    Text('Most that gas may cost within an hour, in the currency of the chain.', '0.5'),
  ),
  spentLastHour: amount,
};
const balance = {
  chainUid: OneChain('The chain.'),
  block: Count('The block after which the balances were read.', 21_000_000, Number.MAX_SAFE_INTEGER),
  symbol: Text('Symbol of the currency.', 'ETH'),
  decimals: Count('Its decimals.', 18),
  address,
  balance: amount,
  limits: Shape(
    limits,
    Object.keys(limits),
    'What actions may spend with it, and what they spent or set aside.',
  ),
  former: List(
    Shape(formerKey, Object.keys(formerKey)),
    'Addresses that the wallet had before it was rotated, until they are found empty; the newest first.',
  ),
};

/** Endpoints of wallets beside those of the resource. */
export const walletEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/wallet/{id}/rotate',
    tag,
    summary: 'Give a wallet a new key',
    description:
      'The wallet signs with a new key and has a new address from now on; rights of the old address on contracts have to be moved. The old key is kept.',
    params,
    reply: replySchema(walletTable.fields),
    effect: 'create',
    problems: ['not-found', 'conflict', 'unprocessable'],
    handle: async (call, { params }) => {
      const record = await rotateWallet(call, wallet.kind, params.id);
      return { body: record, etagOf: record };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/wallet/{id}/balance',
    tag,
    summary: 'Read the balance of a wallet',
    params,
    reply: Shape(balance, Object.keys(balance)),
    effect: 'read',
    problems: ['not-found', 'conflict'],
    handle: async (call, { params }) => ({ body: await readWalletBalance(call, params.id) }),
  }),
];
