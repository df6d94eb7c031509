import { Type } from 'typebox';
import { backtestStates } from '../../../model/backtest.ts';
import { severities } from '../../../model/enumerations.ts';
import {
  Count,
  Id,
  JsonObject,
  List,
  Millis,
  Name,
  nullable,
  OneOf,
  Shape,
  Text,
} from '../../../model/schema.ts';
import {
  backtestDetector,
  backtestProposed,
  readBacktest,
  stopBacktest,
} from '../../../services/detectors/backtest.ts';
import type { BacktestRow } from '../../../store/watch/backtests.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const blockNumber = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [example] });
const range = {
  fromBlock: blockNumber('First block.', 21_000_000),
  toBlock: blockNumber('Last block; at most 100,000 blocks in all.', 21_000_999),
};
/** An alert that was found but not raised. */
export const foundAlert = {
  severity: OneOf(severities, 'How bad it is.', 'HIGH'),
  name: Text('Name of the alert.', 'Owner watch'),
  message: Text('What was found.', 'The owner changed.'),
  timestamp: Millis('Time of the block.'),
  blockNumber: nullable(blockNumber('The block.', 21_000_042)),
  txHash: nullable(Text('The transaction.', '0x5c504ed4')),
  meta: JsonObject('Evidence.', { newOwner: '0x01' }),
};
const result = {
  blocks: Count('Blocks that were read.', 1000),
  transactions: Count('Transactions in them.', 180_000),
  evaluations: Count('How often the detector was shown something.', 42),
  alerts: Count('Alerts that would have been raised.', 3),
  bySeverity: JsonObject('Alerts of each severity.', { HIGH: 3 }),
  byDay: List(
    Shape({ ts: Millis('Start of the UTC day.'), count: Count('Alerts of that day.', 3) }, ['ts', 'count']),
    'Alerts of each day that has some.',
  ),
  samples: List(Shape(foundAlert, Object.keys(foundAlert)), 'The first alerts, at most 50.'),
  notified: List(
    Shape({ destinationId: Id('The destination.'), alerts: Count('How many alerts it would have got.', 3) }, [
      'destinationId',
      'alerts',
    ]),
    'Destinations that would have been notified, without the filters of bindings.',
  ),
  fired: List(
    Shape({ actionId: Id('The action.'), alerts: Count('How many alerts would have fired it.', 3) }, [
      'actionId',
      'alerts',
    ]),
    'Actions that would have been fired, without the filters of bindings.',
  ),
  faults: Count('Evaluations that failed.', 0),
  firstFault: nullable(Text('Reason of the first failure.', 'The call reverts.')),
};
const backtest = {
  uid: Text('The backtest.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e'),
  contractId: Id('The contract.'),
  detectorId: nullable(Id('The detector, unless it was only proposed.')),
  createdAt: Millis('When it was asked for.'),
  updatedAt: Millis('When it last went on.'),
  state: OneOf(backtestStates, 'How far it is.', 'RUNNING'),
  ...range,
  processed: Count('Blocks done so far.', 500),
  progress: Type.Number({
    description: 'Share that is done, 0 to 1.',
    minimum: 0,
    maximum: 1,
    examples: [0.5],
  }),
  result: nullable(Shape(result, Object.keys(result), 'What was found, once it is done.')),
  fault: nullable(Text('Reason of the failure.', 'The chain has no block 99.')),
};
const backtestReply = Shape(backtest, Object.keys(backtest));
const byUid = Shape({ uid: Text('The backtest.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e', { max: 100 }) }, [
  'uid',
]);
const byId = Shape({ id: Id('The detector.') }, ['id']);

/** Runs of a detector over past blocks. */
export const backtestEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/detector/backtest',
    tag: 'Detectors',
    summary: 'Run a proposed detector over past blocks',
    description:
      'Nothing is stored as an alert and no one is notified. Read the result at `/backtest/{uid}`.',
    body: Shape(
      {
        contractId: Id('The contract that is watched.'),
        schemaId: Id('The detector schema.'),
        name: Name('What to call it.', 'Owner watch'),
        config: JsonObject('Detector configuration.', { allowedOwners: [] }),
        ...range,
      },
      ['contractId', 'schemaId', 'fromBlock', 'toBlock'],
    ),
    reply: backtestReply,
    status: 201,
    effect: 'create',
    problems: ['unprocessable', 'conflict'],
    handle: async (call, { body: { fromBlock, toBlock, ...proposed } }) => ({
      body: toReply(await backtestProposed(call, proposed, { fromBlock, toBlock })),
    }),
  }),
  endpoint({
    method: 'POST',
    path: '/detector/{id}/backtest',
    tag: 'Detectors',
    summary: 'Run a detector over past blocks',
    description:
      'Nothing is stored as an alert and no one is notified. Read the result at `/backtest/{uid}`.',
    params: byId,
    body: Shape(range, ['fromBlock', 'toBlock']),
    reply: backtestReply,
    status: 201,
    effect: 'create',
    problems: ['not-found', 'unprocessable', 'conflict'],
    handle: async (call, { params, body }) => ({
      body: toReply(await backtestDetector(call, params.id, body)),
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/backtest/{uid}',
    tag: 'Detectors',
    summary: 'Read a backtest and its progress',
    params: byUid,
    reply: backtestReply,
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: toReply(await readBacktest(call, params.uid)) }),
  }),
  endpoint({
    method: 'POST',
    path: '/backtest/{uid}/cancel',
    tag: 'Detectors',
    summary: 'Cancel a backtest',
    description: 'One that is over stays as it is.',
    params: byUid,
    reply: backtestReply,
    effect: 'change',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: toReply(await stopBacktest(call, params.uid)) }),
  }),
];

function toReply({ tenantId: _tenantId, ...row }: BacktestRow) {
  const blocks = row.toBlock - row.fromBlock + 1;
  return { ...row, progress: row.state === 'DONE' ? 1 : Math.min(1, row.processed / blocks) };
}
