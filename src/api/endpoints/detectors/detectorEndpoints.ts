import { Type } from 'typebox';
import { Count, Id, JsonObject, List, Millis, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { explainDetector } from '../../../services/detectors/explainDetector.ts';
import { readFault } from '../../../services/detectors/readFault.ts';
import { readQuality } from '../../../services/detectors/readQuality.ts';
import { qualityDays } from '../../../store/alerts/judgements.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { foundAlert } from './backtestEndpoints.ts';

const byId = Shape({ id: Id('The detector.') }, ['id']);

const step = {
  step: Text('The checked condition.', 'match'),
  text: Text('Result of the step.', 'Nothing in the transaction interests the detector.'),
  details: JsonObject('What it was seen from.', { parts: [{ type: 'log', index: 3 }] }),
};

const judged = {
  TRUE: Count('An attack or a real fault.', 3),
  BENIGN: Count('Harmless.', 1),
  KNOWN: Count('Expected.', 0),
  TEST: Count('Made by a test.', 0),
};
const quality = {
  precision: nullable(
    Type.Number({
      description:
        'The share of TRUE among the judged incidents, without those of tests; null before any is judged.',
      minimum: 0,
      maximum: 1,
      examples: [0.75],
    }),
  ),
  total: Count('How many incidents with its alerts were judged.', 4),
  judged: Shape(judged, Object.keys(judged), 'These by disposition.'),
  acknowledged: Count('How many of its alerts were acknowledged.', 12),
  medianMs: nullable(
    Count('Median time from an alert to its first acknowledgement, in milliseconds.', 95_000),
  ),
};

/** Endpoints of detectors beside those of the resource. */
export const detectorEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/detector/{id}/explain',
    tag: 'Detectors',
    summary: 'Explain what a detector makes of a transaction',
    params: byId,
    body: Shape(
      {
        txHash: Type.String({
          description: 'The transaction.',
          // Of the Internet Computer: a ledger, and the index of an entry.
          pattern: '^((0x)?[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{80,90}|[a-z0-9-]{27}_[0-9]{1,20})$',
          examples: [`0x${'5c'.repeat(32)}`],
        }),
      },
      ['txHash'],
    ),
    reply: Shape(
      {
        verdict: OneOf(['ALERT', 'NO_ALERT', 'FAULT'], 'What comes of it.', 'NO_ALERT'),
        steps: List(Shape(step, ['step', 'text']), 'How the verdict was reached.'),
        alerts: List(Shape(foundAlert, Object.keys(foundAlert)), 'The alerts.'),
      },
      ['verdict', 'steps', 'alerts'],
    ),
    effect: 'read',
    isReport: true,
    problems: ['not-found', 'conflict'],
    handle: async (call, { params, body }) => {
      const { verdict, steps, alerts } = await explainDetector(call, params.id, body.txHash);
      return {
        body: {
          verdict,
          steps,
          alerts: alerts.map(({ severity, name, message, timestamp, blockNumber, txHash, meta }) => ({
            severity,
            name,
            message,
            timestamp,
            blockNumber: blockNumber ?? null,
            txHash: txHash ?? null,
            meta,
          })),
        },
      };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/detector/{id}/fault',
    tag: 'Detectors',
    summary: 'Read whether a detector works',
    params: byId,
    reply: Shape(
      {
        works: Type.Boolean({
          description:
            'Whether its last evaluation went well, and, where it needs traces, no transaction of its chain stayed unseen for a day.',
          examples: [true],
        }),
        message: nullable(
          Text(
            'How it failed, or which transaction or block it was not shown the calls of.',
            'The call reverts.',
          ),
        ),
        count: Count('Faults in a row, or blocks of which calls were not seen.', 0),
        firstAt: nullable(Millis('When the first of them happened.')),
        lastAt: nullable(Millis('When the last of them happened.')),
      },
      ['works', 'message', 'count', 'firstAt', 'lastAt'],
    ),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => {
      return { body: await readFault(call, params.id) };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/detector/{id}/quality',
    tag: 'Detectors',
    summary: 'Read how good the alerts of a detector are',
    description: `What people made of them in the last ${qualityDays} days: the dispositions of their incidents, and how long they waited for someone.`,
    params: byId,
    reply: Shape(quality, Object.keys(quality)),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: await readQuality(call, params.id) }),
  }),
];
