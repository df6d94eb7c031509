import { type TSchema, Type } from 'typebox';
import { invalid } from '../../../model/errors.ts';
import { Count, Id, List, Millis, nullable, OneChain, OneOf, Shape, Text } from '../../../model/schema.ts';
import { readTokenomics } from '../../../services/tokenomics/readTokenomics.ts';
import { endpoint } from '../../http/endpoint.ts';

const description = `What is planned for a token against what its contract says now, ready for a chart.

A \`line\` is a list of points in order of time; the amount of a point holds until the next one. The line of a
category adds up what its active schedules release, which is what its address should hold. \`planned\` is what the line says
of now: 0 before its first point, null where there is no line. \`actual\` is read from the chain after \`block\`.
\`difference\` is \`actual\` less \`planned\`. With \`from\` a line opens with a point there, and the points before it are left out.

The line of the circulating supply is the \`schedule\` of the contract's \`circulation_supply\` detector; without one it adds up
what all categories release. What the \`lockerAddresses\` of that detector hold does not circulate.

\`samples\` are what alerts of the detectors \`tokenomics_allocation\` and \`circulation_supply\` saw whenever something left its
plan; the newest 1,000 of the range.

When the chain cannot be asked, or the contract is no token, the plan is there all the same: \`fault\` says why every \`actual\`
is null.`;

const amount = (words: string) => Text(words, '250000', { max: 400 });
const points = (words: string) =>
  List(shapeOf({ timestamp: Millis('Since when.'), amount: amount('How many tokens.') }), words);
const planned = {
  line: points('The planned amounts.'),
  planned: nullable(amount('What is planned for now.')),
};
const record = {
  id: Id('The record.'),
  uid: Text('Its uid.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e'),
  name: Text('Its name.', 'Team'),
};
const comparison = {
  ...planned,
  actual: nullable(amount('What there is.')),
  difference: nullable(Text('Number of tokens beyond the plan.', '-1000.5', { max: 400 })),
  samples: points('What alerts saw.'),
};
const reply = shapeOf({
  contractId: Id('The contract.'),
  chainUid: OneChain('The chain.'),
  timestamp: Millis('When this was read.'),
  block: nullable(Count('The block after which the chain was asked.', 21_000_000, Number.MAX_SAFE_INTEGER)),
  symbol: nullable(Text('Symbol of the token; null where the contract has none.', 'TKN')),
  decimals: nullable(Count('Decimals of the token; 0 where it reports none.', 18)),
  fault: nullable(
    Shape(
      {
        code: OneOf(
          ['chain-not-configured', 'chain-unavailable', 'not-a-token'],
          'What kind of fault.',
          'chain-unavailable',
        ),
        message: Text('The reason.', 'The chain does not answer at the moment.'),
      },
      ['code', 'message'],
      'Why nothing could be read from the chain.',
    ),
  ),
  totalSupply: shapeOf(
    {
      planned: nullable(amount('The whole amounts of all categories that have one.')),
      actual: nullable(amount('What the token says.')),
    },
    'All tokens that there are.',
  ),
  circulating: shapeOf(
    { ...comparison, locked: nullable(amount('What the locker addresses hold.')) },
    'The tokens that circulate.',
  ),
  categories: List(
    shapeOf({
      ...record,
      address: nullable(Text('The address that holds the allocation.', `0x${'ab'.repeat(20)}`)),
      amount: nullable(amount('The whole allocation.')),
      ...comparison,
      schedules: List(shapeOf({ ...record, ...planned }), 'Its active schedules.'),
    }),
    'The active categories.',
  ),
});

/** A shape whose members are all there. */
function shapeOf<T extends Record<string, TSchema>>(members: T, words?: string) {
  return Shape(members, Object.keys(members), words);
}

export const tokenomicsEndpoint = endpoint({
  method: 'GET',
  path: '/contract/{id}/tokenomics',
  tag: 'Tokenomics',
  summary: 'Compare a token with its plan',
  description,
  params: Shape({ id: Id('The contract.') }, ['id']),
  query: Type.Unsafe<{ from?: number; to?: number }>(
    Shape(
      {
        from: Millis('Start of the lines, included.'),
        to: Millis('End of the lines, included.', 1_826_236_800_000),
      },
      [],
    ),
  ),
  reply,
  effect: 'read',
  isReport: true,
  problems: ['not-found'],
  handle: async (call, { params, query }) => {
    const { from, to } = query;
    if (from !== undefined && to !== undefined && from > to)
      throw invalid('/query/to', 'order', 'must not be before `from`.');
    return { body: await readTokenomics(call, params.id, query) };
  },
});
