import { type TSchema, Type } from 'typebox';
import { contractKinds } from '../../../model/contractKinds.ts';
import { invalid } from '../../../model/errors.ts';
import { Count, Id, List, Millis, nullable, OneOf, Shape, SomeOf, Text } from '../../../model/schema.ts';
import { readContractFacts } from '../../../services/contracts/readContractFacts.ts';
import { readHoldingNow } from '../../../services/contracts/readHoldingNow.ts';
import { readHoldings } from '../../../services/contracts/readHoldings.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const tag = 'Contracts';
const params = Shape({ id: Id('The contract.') }, ['id']);
const block = (description: string) => Count(description, 21_000_042, Number.MAX_SAFE_INTEGER);
const amount = (description: string) => Text(description, '500000.5', { max: 400 });

const dayMs = 86_400_000;
const maxDays = 31;

const holdings = shapeOf({
  asset: Text('`native`, or the address of the token.', 'native'),
  symbol: Text('Its symbol.', 'ETH'),
  decimals: Count('Its decimals.', 18),
  points: List(
    shapeOf({
      timestamp: Millis('When it was seen.'),
      blockNumber: block('After which block.'),
      amount: amount('How many whole tokens.'),
      usd: nullable(amount('Worth in US dollars then; null where no price answered.')),
    }),
    'What was held, oldest first.',
  ),
});

const fact = shapeOf({
  name: OneOf(
    ['implementation', 'owner', 'paused', 'owners', 'threshold', 'minDelay', 'role'],
    'What it is. `minDelay` is in seconds; `role` is one that was granted and not taken back, as far as alerts tell.',
    'owner',
  ),
  value: Text('How it stands now.', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', { max: 5000 }),
  since: nullable(Millis('Since when, if the newest alert about it led to the present value.')),
  alertUid: nullable(
    Text(
      'The newest alert about it. Without `since` it changed after that, without an alert.',
      '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071',
    ),
  ),
  detectorId: nullable(Id('The active detector that reports changes; null where none does.')),
  watchedSince: nullable(Millis('Since when there is that detector.')),
});

const precision = shapeOf({
  id: Id('The detector.'),
  schema: Text('Its kind.', 'ownership_change'),
  status: Text('Its status.', 'ACTIVE'),
  createdAt: Millis('Since when there is the detector.'),
  judged: Count('Incidents of the last 90 days with an alert of it that someone judged, tests left out.', 4),
  right: Count('How many of them were an attack or a real fault.', 3),
  precision: nullable(
    Type.Number({ description: '`right` by `judged`; null before any is judged.', examples: [0.75] }),
  ),
});

/** Endpoints of the page of a contract: its holdings over time, who controls it, and how good its detectors are. */
export const contractViewEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/contract/{id}/holdings',
    tag,
    summary: 'Read what a contract held over time',
    description:
      'Samples that its `tvl_drop` and `wallet_balance` detectors take when they look anyway: one in an hour, and one of each block that they report, at most one in ten minutes. They are kept for 31 days. An asset that no such detector names is not sampled.',
    params,
    query: Type.Unsafe<{ from?: number; to?: number; token?: string }>(
      Shape(
        {
          from: Millis('Start, included; seven days before `to` if left out. At most 31 days before it.'),
          to: Millis('End, included; now if left out.'),
          token: Text('`native` or the address of a token, to read what it holds of that now.', 'native', {
            max: 200,
          }),
        },
        [],
      ),
    ),
    reply: Shape(
      {
        data: List(holdings, 'By asset, the most valuable first; at most 5,000 points in all.'),
        now: nullable(
          shapeOf(
            {
              asset: Text('`native`, or the address of the token.', 'native'),
              symbol: Text('Its symbol.', 'ETH'),
              decimals: Count('Its decimals.', 18),
              amount: amount('How many whole tokens it holds.'),
              blockNumber: block('After which block.'),
            },
            'What it holds of `token` now; null where no node answers, or it is no token.',
          ),
        ),
      },
      ['data'],
    ),
    effect: 'read',
    isReport: true,
    problems: ['not-found'],
    handle: async (call, { params: { id }, query }) => {
      const to = query.to ?? call.now;
      const from = query.from ?? to - 7 * dayMs;
      if (from > to) throw invalid('/query/to', 'order', 'must not be before `from`.');
      if (to - from > maxDays * dayMs)
        throw invalid('/query/from', 'too-long', `must be at most ${maxDays} days before \`to\`.`);
      // First, because it finds out whether the caller may see the contract.
      const body = await readHoldings(call, id, { from, to });
      const now = query.token === undefined ? undefined : await readHoldingNow(call, id, query.token);
      return { body: now === undefined ? body : { ...body, now } };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/contract/{id}/facts',
    tag,
    summary: 'Read who controls a contract, since when',
    description:
      'Reads from the chain who controls the contract and how it stands, and finds the alert that reported each fact as it is now. What no detector watches may have changed at any time. Beside it the detectors of the contract with their precision.',
    params,
    reply: shapeOf({
      block: nullable(block('The block after which the chain was asked.')),
      fault: nullable(Text('Why the chain says nothing.', 'The chain does not respond.')),
      kinds: SomeOf(contractKinds, 'Kinds that it was recognised as.', ['OWNABLE']),
      data: List(fact, 'The facts.'),
      detectors: List(precision, 'Its detectors, at most 500.'),
    }),
    effect: 'read',
    isReport: true,
    problems: ['not-found'],
    handle: async (call, { params: { id } }) => ({ body: await readContractFacts(call, id) }),
  }),
];

/** A shape whose members are all there. */
function shapeOf<T extends Record<string, TSchema>>(members: T, description?: string) {
  return Shape(members, Object.keys(members), description);
}
