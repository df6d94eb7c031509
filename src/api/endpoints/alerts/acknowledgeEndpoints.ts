import type { TSchema } from 'typebox';
import { Millis, nullable, Shape, Text } from '../../../model/schema.ts';
import type { AcknowledgeInput } from '../../../services/alerts/acknowledge.ts';
import type { Call } from '../../../services/call.ts';
import type { Row } from '../../../store/records/records.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

type Options = {
  path: string;
  tag: string;
  what: 'alert' | 'incident';
  description: string;
  reply: TSchema;
  acknowledge(call: Call, uid: string, input: AcknowledgeInput | undefined): Promise<Row>;
};

const body = {
  until: nullable(Millis('Until when: then it is unacknowledged again. Null for as long as it takes.')),
  note: Text('What others should know; it becomes a comment.', 'Looking into it.', {
    max: 10_000,
    pattern: '\\S',
  }),
};

/** Someone looks at it: acknowledged by POST, and no longer by DELETE. */
export function acknowledgeEndpoints(options: Options): Endpoint[] {
  const { path, tag, what, description, reply, acknowledge } = options;
  const uid = Text(`The ${what}.`, '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 });
  const params = Shape({ uid }, ['uid']);
  const common = { path, tag, params, reply } as const;
  return [
    endpoint({
      ...common,
      method: 'POST',
      summary: `Acknowledge an ${what}`,
      description: `Says that someone looks at it. ${description} Webhooks that got it get \`alert.updated\`.`,
      body: Shape(body, []),
      effect: 'change',
      problems: ['not-found', 'illegal-transition', 'unprocessable'],
      handle: async (call, { params, body }) => ({ body: await acknowledge(call, params.uid, body) }),
    }),
    endpoint({
      ...common,
      method: 'DELETE',
      summary: `Take back that an ${what} is acknowledged`,
      effect: 'change',
      problems: ['not-found', 'illegal-transition'],
      handle: async (call, { params }) => ({ body: await acknowledge(call, params.uid, undefined) }),
    }),
  ];
}
