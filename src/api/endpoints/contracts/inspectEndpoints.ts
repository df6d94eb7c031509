import { Type } from 'typebox';
import { backtestStates } from '../../../model/backtest.ts';
import { contractKinds, proxyKinds } from '../../../model/contractKinds.ts';
import {
  Count,
  Flag,
  Id,
  JsonObject,
  List,
  nullable,
  OneChain,
  OneOf,
  Shape,
  SomeOf,
  Text,
} from '../../../model/schema.ts';
import { inspectAddress } from '../../../services/contracts/inspectAddress.ts';
import { recommendForContract } from '../../../services/detectors/recommendForContract.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { detector } from '../detectors/detector.ts';

const tag = 'Contracts';
const kinds = SomeOf(contractKinds, 'Kinds that it was recognised as.', ['ERC20', 'OWNABLE']);
const abi = {
  source: Text('The server that knows it, or the contract itself.', 'sourcify.dev'),
  items: Count('How many functions, events and errors it has.', 40),
};
const inspection = {
  chainUid: OneChain('The chain.'),
  block: nullable(Count('The block after which it was looked at.', 21_000_042, Number.MAX_SAFE_INTEGER)),
  hasCode: Flag('Whether there is a contract; otherwise the address is an account, or unused.'),
  kinds,
  proxyKind: nullable(OneOf(proxyKinds, 'How the code behind a proxy is found.', 'EIP1967')),
  implementation: nullable(Text('The code behind a proxy.', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')),
  facts: JsonObject('What it says of itself.', { name: 'Tether USD', symbol: 'USDT', decimals: 6 }),
  abi: nullable(Shape(abi, Object.keys(abi), 'Its ABI, if a source that is configured has it.')),
  fault: nullable(Text('Why nothing is known of it on this chain.', 'The chain does not respond.')),
};
const recommended = {
  schemaName: Text('The detector schema.', 'ownership_change'),
  title: Text('Its title.', 'Ownership change'),
  reason: Text('Why it fits.', 'It has an owner.', { max: 2000 }),
  config: JsonObject('Its configuration, filled in.', { allowedOwners: [] }),
  detectorId: nullable(Id('The detector of this kind that the contract has.')),
  isNew: Flag('Whether this request created it.'),
  past: nullable(
    Shape(
      {
        uid: Text('The backtest, read at `/backtest/{uid}`.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e'),
        state: OneOf(backtestStates, 'How far it is.', 'DONE'),
        fromBlock: Count('The first block.', 21_000_000, Number.MAX_SAFE_INTEGER),
        toBlock: Count('The last block.', 21_007_199, Number.MAX_SAFE_INTEGER),
        alerts: nullable(Count('Alerts that it would have raised; null until it is done.', 2)),
      },
      ['uid', 'state', 'fromBlock', 'toBlock', 'alerts'],
      'How it fares on the last day, if that was tried within a day; where it would have cried, `config` has limits above that.',
    ),
  ),
};

/** Inspection of an address, with recommended detectors. */
export const inspectEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/contract/inspect',
    tag,
    summary: 'See what stands at an address',
    description:
      'Asks one chain, or all that have endpoints, where the address has code and which kinds of contract it is. Nothing is stored.',
    body: Shape(
      {
        address: Text('The address.', '0xdAC17F958D2ee523a2206206994597C13D831ec7', { max: 200 }),
        chainUid: OneChain('The chain; all that have endpoints if left out.'),
      },
      ['address'],
    ),
    reply: Shape(
      {
        address: Text('The address in its canonical form.', '0xdac17f958d2ee523a2206206994597c13d831ec7'),
        data: List(Shape(inspection, Object.keys(inspection)), 'What was found, by chain.'),
      },
      ['address', 'data'],
    ),
    effect: 'read',
    isReport: true,
    problems: ['unprocessable', 'conflict'],
    handle: async (call, { body }) => ({ body: await inspectAddress(call, body.address, body.chainUid) }),
  }),
  endpoint({
    method: 'POST',
    path: '/contract/{id}/recommend',
    tag,
    summary: 'Recommend detectors for a contract, and enable a selection',
    description:
      'Recognises the contract and answers with the detectors that fit, each with its configuration and the reason. Those named in `enable` are created, all or none, unless the contract has a detector of the kind; the same request again changes nothing. With `backtest` those that watch losses are tried on the last day, at most 7,200 blocks.',
    params: Shape({ id: Id('The contract.') }, ['id']),
    body: Shape(
      {
        enable: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
          description: 'Names of detector schemas among those recommended.',
          maxItems: 50,
          uniqueItems: true,
          examples: [['ownership_change']],
        }),
        backtest: Flag(
          'Tries those with limits on the last day: the answer names the backtests, and a later one proposes limits by them.',
        ),
      },
      [],
    ),
    mayLackBody: true,
    reply: Shape(
      { kinds, data: List(Shape(recommended, Object.keys(recommended)), 'The detectors that fit.') },
      ['kinds', 'data'],
    ),
    effect: 'change',
    problems: ['not-found', 'conflict', 'unprocessable', 'plan-limit'],
    handle: async (call, { params, body }) => ({
      body: await recommendForContract(call, detector.kind, params.id, {
        enable: body.enable ?? [],
        backtest: body.backtest ?? false,
      }),
    }),
  }),
];
