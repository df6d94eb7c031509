import { Type } from 'typebox';
import { Count, Id, List, Millis, nullable, Shape, Text } from '../../../model/schema.ts';
import { listSilenced } from '../../../services/destinations/listSilenced.ts';
import { previewSilence } from '../../../services/destinations/previewSilence.ts';
import { tenantId } from '../../../store/tables/commonFields.ts';
import { silenceTable } from '../../../store/tables/silenceTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { wholeAlert } from '../alerts/alertSchemas.ts';

const tag = 'Silences';
const { query, includeCritical, timeSetId } = silenceTable.fields;
type Draft = { tenantId?: number; query: string; timeSetId?: number | null; includeCritical?: boolean };

const held = {
  id: Id('The silence.'),
  reason: Text('Its reason.', 'Planned maintenance of the oracle.'),
};
const alertUid = (description: string) =>
  Text(description, '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', {
    max: 36,
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  });

export const silenceEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/silence/preview',
    tag,
    summary: 'Preview a silence',
    description:
      'Counts the alerts of the last seven days that a silence would have hidden, and shows the newest ten. CRITICAL ones count ' +
      'only with `includeCritical`, and those of which no one is notified anyway do not count.',
    body: Type.Unsafe<Draft>(
      Shape(
        {
          tenantId,
          query: query.schema,
          timeSetId: nullable(timeSetId.schema),
          includeCritical: includeCritical.schema,
        },
        ['query'],
      ),
    ),
    reply: Shape(
      {
        from: Millis('The alerts since then were looked at.'),
        total: Count('How many it would have hidden, counted up to 100,000.', 12),
        data: List(wholeAlert.schema, 'The newest ten of them.'),
      },
      ['from', 'total', 'data'],
    ),
    effect: 'read',
    isReport: true,
    problems: ['unprocessable', 'invalid-query'],
    handle: async (call, { body }) => ({ body: await previewSilence(call, body, wholeAlert.names) }),
  }),
  endpoint({
    method: 'POST',
    path: '/alert/silenced',
    tag,
    summary: 'List which alerts were silenced',
    description: 'Of these alerts, those of which no one was notified because of silences. Kept for 90 days.',
    body: Type.Unsafe<{ uids: string[] }>(
      Shape({ uids: List(alertUid('An alert.'), 'The alerts.', { maxItems: 1000 }) }, ['uids']),
    ),
    reply: Shape(
      {
        data: List(
          Shape(
            {
              uid: alertUid('The alert.'),
              silences: List(Shape(held, Object.keys(held)), 'The silences that held it.'),
            },
            ['uid', 'silences'],
          ),
          'The silenced ones.',
        ),
      },
      ['data'],
    ),
    effect: 'read',
    problems: [],
    handle: async (call, { body }) => ({ body: { data: await listSilenced(call, body.uids) } }),
  }),
];
