import { Shape, Text } from '../../../model/schema.ts';
import { previewMessage } from '../../../services/alerts/previewMessage.ts';
import { endpoint } from '../../http/endpoint.ts';

export const previewEndpoint = endpoint({
  method: 'POST',
  path: '/alert/{uid}/preview',
  tag: 'Alerts',
  summary: 'Try a message template on an alert',
  description:
    'Fills the `desc` of a detector or the `message` of a trigger alert with the members of this alert, formats included. Nothing is ' +
    'stored. US dollars stand as amounts, because their price is that of the moment of an alert.',
  params: Shape({ uid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }) }, ['uid']),
  body: Shape({ template: Text('The template.', '{name} at {timestamp | time}', { max: 10_000 }) }, [
    'template',
  ]),
  reply: Shape({ message: Text('The message.', 'Drain at 2026-11-16 00:00:00 UTC', { max: 100_000 }) }, [
    'message',
  ]),
  effect: 'read',
  problems: ['not-found'],
  handle: async (call, { params: { uid }, body: { template } }) => ({
    body: await previewMessage(call, uid, template),
  }),
});
