import { Type } from 'typebox';
import { frameTypes } from '../../../model/block.ts';
import {
  Count,
  Flag,
  Id,
  List,
  nullable,
  OneChain,
  OneOf,
  Shape,
  Text,
  Words,
} from '../../../model/schema.ts';
import { readTrace } from '../../../services/alerts/readTrace.ts';
import { addressKinds } from '../../../store/labels/nameAddresses.ts';
import { endpoint } from '../../http/endpoint.ts';

const vault = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const thief = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512';
const sender = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';

const argument = {
  name: Text('Its name, or its place where it has none.', 'amount'),
  type: Text('Its type.', 'uint256'),
  value: Text(
    'Its value; numbers are decimal, lists and structs in brackets, what is longer than 300 characters is cut.',
    '5',
  ),
  shown: nullable(
    Text(
      'An amount of a token that the transaction moves, in whole tokens with its symbol; null for anything else.',
      '5 DUSD',
    ),
  ),
};
const frame = {
  position: Count('Its place among all frames, in the order in which calls began.', 1),
  parent: nullable(
    Count('The position of the frame that made the call; null for the transaction itself.', 0),
  ),
  depth: Count('How deep it is within the transaction.', 1),
  type: OneOf(frameTypes, 'How it was called.', 'CALL'),
  from: Text('The caller.', thief),
  to: nullable(
    Text(
      'Whose code runs: of a creation the new contract, of a self-destruct who gets the coins; null when nothing was created.',
      vault,
    ),
  ),
  value: Text('Native coins that move with it, in the smallest unit.', '0'),
  amount: Text('The same in whole coins.', '0'),
  selector: nullable(Text('The first four bytes of the input.', '0x2e1a7d4d')),
  function: nullable(
    Text('The function, where the ABI of the contract has it or it is a common one.', 'withdraw(uint256)'),
  ),
  arguments: List(Shape(argument, Object.keys(argument)), 'Its arguments, where the function is known.'),
  reason: nullable(
    Text('Reason of its own failure, decoded as far as possible; null otherwise.', 'NotOwner()'),
  ),
  inputBytes: Count('How long its input is.', 36),
  isReverted: Flag('True if it, or a frame that contains it, failed, so that nothing of it remains.'),
};
const change = {
  address: Text('The address with more or less.', vault),
  asset: Text('`native`, or the address of the token.', 'native'),
  symbol: nullable(Text('Its symbol, as the token reports it.', 'ETH')),
  tokenId: nullable(Text('Of a token with several kinds or pieces.', '7')),
  value: Text('By how much, in the smallest unit; below 0 when it has less.', '-5000000000000000000'),
  amount: Text('The same in whole tokens.', '-5'),
};
const partyMembers = {
  address: Text('The address.', vault),
  type: OneOf(addressKinds, 'By what it is known.', 'contract'),
  name: Text('Your name for it.', 'Vault'),
  contractId: nullable(Id('The contract, where it is one of yours.')),
  tags: Words('The tags of its labels.', []),
  score: nullable(Count('How suspicious its labels say it is.', 90, 100)),
};
export const party = Shape(partyMembers, Object.keys(partyMembers));
const leftOut = {
  before: Count('Frames before the first of these.', 0),
  after: Count('Frames after the last of these.', 0),
  changes: Count('Balance changes beyond the first 200.', 0),
};
const reply = {
  chainUid: OneChain('The chain.'),
  txHash: Text('The transaction.', `0x${'5c'.repeat(32)}`),
  blockNumber: Count('Its block.', 21_000_000),
  from: Text('The sender.', sender),
  isReverted: Flag('True if it failed as a whole.'),
  total: Count('How many frames it has.', 12),
  reverted: Count('How many of them were reverted.', 0),
  depth: Count('How deep the deepest is.', 4),
  frames: List(Shape(frame, Object.keys(frame)), 'The frames, in the order in which calls began.'),
  changes: List(
    Shape(change, Object.keys(change)),
    'What each party has more or less after it: coins by the frames that remain, without fees, and tokens as they report it in events.',
  ),
  parties: List(party, 'What you know of the addresses.'),
  leftOut: Shape(leftOut, Object.keys(leftOut), 'What is not among these.'),
  note: nullable(
    Text(
      'The same in a sentence; null when nothing is left out.',
      'Left out: 99000 frames after these (ask with from=1000).',
    ),
  ),
};

export const traceEndpoint = endpoint({
  method: 'GET',
  path: '/alert/{uid}/trace',
  tag: 'Alerts',
  summary: "Read the call tree of an alert's transaction",
  description:
    'What contracts did within the transaction, as a node traces it at this moment: every call, creation and self-destruct, by the ' +
    'names, labels and ABIs that you have. 409 where there is nothing to trace: the alert has no transaction, the chain is not of the ' +
    'EVM, or no endpoint gives traces; 503 where nodes do not give it now.',
  params: Shape({ uid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }) }, ['uid']),
  query: Type.Unsafe<{ from?: number; size?: number }>(
    Shape(
      {
        from: Count('Skip this many frames.', 0),
        size: Type.Integer({
          description: 'At most this many frames; 1,000 if left out.',
          minimum: 0,
          maximum: 5000,
          examples: [1000],
        }),
      },
      [],
    ),
  ),
  reply: Shape(reply, Object.keys(reply)),
  effect: 'read',
  isReport: true,
  problems: ['not-found', 'conflict'],
  handle: async (call, { params, query: { from = 0, size = 1000 } }) => ({
    body: await readTrace(call, params.uid, { from, size }),
  }),
});
