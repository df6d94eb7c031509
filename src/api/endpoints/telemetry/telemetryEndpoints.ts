import { Type } from 'typebox';
import { metrics } from '../../../model/metrics.ts';
import { List, nullable, OneOf, Shape, Text, Words } from '../../../model/schema.ts';
import { readTelemetry, type TelemetryRequest } from '../../../services/telemetry/readTelemetry.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { histogramData, intervalText } from '../records/histogramBody.ts';

const tag = 'Usage and telemetry';
const number = (description: string, example: number) => Type.Number({ description, examples: [example] });
const grammar = 'Epoch milliseconds, or an offset from now such as -1d, now-1d/d or now';

const timeText = (description: string, example: string, fallback: string) =>
  Type.Unsafe<string | number>({
    type: ['string', 'integer'],
    description,
    maxLength: 100,
    default: fallback,
    examples: [example],
  });

const body = {
  metric: Text('Name of the metric, one of those of GET /telemetry/metric.', 'api_requests', {
    min: 1,
    max: 200,
    pattern: '^[a-zA-Z_:][a-zA-Z0-9_:]*$',
  }),
  start: timeText(`Start, included. ${grammar}; /unit rounds down.`, '-1d', '-1d'),
  end: timeText(`End, included. ${grammar}; /unit rounds up.`, 'now', 'now'),
  step: { ...intervalText('Width of a bucket, in UTC.'), default: '1h', examples: ['1h'] },
  tags: Type.Unsafe<Record<string, string[]>>({
    type: 'object',
    description:
      'Values that a label may have; a sample must have one of them for each label named. An empty array allows nothing. `tenant` can be named by administrators alone.',
    propertyNames: { pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$', maxLength: 100 },
    additionalProperties: { type: 'array', items: { type: 'string', maxLength: 200 }, maxItems: 100 },
    maxProperties: 10,
    examples: [{ type: ['GET', 'POST'] }],
  }),
};

const bucket = {
  value: nullable(
    number(
      'Of a counter: by how much it rose, exactly. Of a gauge: its last value, or null where it was not read.',
      12,
    ),
  ),
  count: Type.Integer({ description: 'Number of samples.', minimum: 0, examples: [12] }),
  min: nullable(number('The smallest sample.', 1)),
  max: nullable(number('The largest sample.', 1)),
  last: nullable(number('The newest sample; where several series have one, the largest of these.', 1)),
};
const by = Type.Unsafe<Record<string, Record<string, number | null>>>({
  type: 'object',
  description: 'For every label that `tags` names with more than one value: `value` of each of these values.',
  additionalProperties: { type: 'object', additionalProperties: { type: ['number', 'null'] } },
  examples: [{ type: { GET: 10, POST: 2 } }],
});

/** docs/api-spec.md, Telemetry. */
const telemetry = endpoint({
  method: 'POST',
  path: '/tenant/telemetry',
  tag,
  summary: 'Telemetry over time',
  description:
    'One metric of your tenant; administrators read that of the platform, or of the tenants named in `tags`. Samples are kept by the minute, and a minute belongs to the bucket in which it begins. If start and end are both milliseconds, every bucket between them is listed, empty ones too; otherwise the list goes from the first to the last that is not empty. An unknown metric or label is refused.',
  body: Type.Unsafe<TelemetryRequest>(Shape(body, ['metric'])),
  reply: Shape({ data: histogramData(Shape({ ...bucket, by }, Object.keys(bucket), 'What was sampled.')) }, [
    'data',
  ]),
  effect: 'read',
  isReport: true,
  problems: ['invalid-query'],
  handle: async (call, { body }) => ({ body: { data: await readTelemetry(call, body) } }),
});

const metric = {
  name: Text('Name of the metric.', 'api_requests'),
  kind: OneOf(['counter', 'gauge'], 'Whether it only rises, or goes up and down.', 'counter'),
  labels: Words('Labels that can be named in `tags`.', ['type']),
  help: Text('Description of the metric.', 'API requests.'),
};

const metricList = endpoint({
  method: 'GET',
  path: '/telemetry/metric',
  tag,
  summary: 'List the metrics',
  description: 'Every metric that Vigil records, with its labels; administrators may also name `tenant`.',
  reply: Shape({ data: List(Shape(metric, Object.keys(metric)), 'Every metric.') }, ['data']),
  effect: 'read',
  isReport: true,
  handle: async () => ({
    body: { data: Object.entries(metrics).map(([name, entry]) => ({ name, ...entry })) },
  }),
});

export const telemetryEndpoints: Endpoint[] = [telemetry, metricList];
