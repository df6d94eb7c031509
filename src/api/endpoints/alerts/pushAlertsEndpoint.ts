import { Type } from 'typebox';
import { severities } from '../../../model/enumerations.ts';
import {
  Id,
  JsonObject,
  List,
  Millis,
  Name,
  nullable,
  OneOf,
  Shape,
  Text,
  Words,
} from '../../../model/schema.ts';
import { type Pushed, pushFindings } from '../../../services/alerts/pushFindings.ts';
import { endpoint } from '../../http/endpoint.ts';
import { detector } from '../detectors/detector.ts';

const eid = Text(
  'The engine’s own identifier of the finding; a repeated one is not a second alert.',
  'finding-42',
  { min: 1, max: 200 },
);

const item = Shape(
  {
    eid,
    timestamp: Millis('When it happened; now if left out.'),
    severity: OneOf(severities, 'How bad it is; MEDIUM if left out.', 'HIGH'),
    name: Name('Name of the alert; that of the detector if left out.', 'Suspicious call'),
    message: Text('What happened, for people.', 'An unknown caller drained the pool.', {
      min: 1,
      max: 10_000,
    }),
    meta: JsonObject('Anything the finding carries; every member can be searched.', { caller: '0x01' }),
    tags: Words('Free labels.', ['engine-a']),
    txHash: nullable(Text('The transaction.', '0x5c504ed4', { max: 200 })),
    blockNumber: nullable(
      Type.Integer({
        description: 'The block.',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        examples: [46147],
      }),
    ),
    blockHash: nullable(Text('Hash of the block.', '0x4e3a3754', { max: 200 })),
  },
  ['eid', 'message'],
);

export const pushAlertsEndpoint = endpoint({
  method: 'POST',
  path: '/detector/{id}/alert',
  tag: 'Alerts',
  summary: 'Push findings of an outside engine',
  description:
    'Up to 1,000 findings become alerts of a detector whose `source` is EXTERNAL. A tenant may push as many new ones a ' +
    'minute as `maxPushedAlerts` of its plan says; a request beyond that is refused as a whole (429).',
  params: Shape({ id: Id('The detector.') }, ['id']),
  body: Type.Unsafe<{ alerts: Pushed[] }>(
    Shape({ alerts: List(item, 'The findings.', { minItems: 1, maxItems: 1000 }) }, ['alerts']),
  ),
  reply: Shape(
    {
      results: List(
        Shape(
          {
            eid,
            uid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
            result: OneOf(['created', 'duplicate'], 'Its outcome.', 'created'),
          },
          ['eid', 'uid', 'result'],
        ),
        'One result for each finding, in their order.',
      ),
    },
    ['results'],
  ),
  effect: 'change',
  isRepeatable: true,
  problems: ['not-found', 'conflict'],
  handle: async (call, { params, body }) => ({
    body: { results: await pushFindings(call, detector.kind, params.id, body.alerts) },
  }),
});
