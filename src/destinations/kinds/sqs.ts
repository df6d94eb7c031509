import type { Message, Target } from '../../model/notification.ts';
import { Text } from '../../model/schema.ts';
import { awsKeySettings, awsOutcome } from '../awsSettings.ts';
import { defineKind, type KindSettings, type MessageRequest } from '../destinationKind.ts';
import { signAws } from '../signAws.ts';
import { cutWebhookBody } from '../toWebhookRequest.ts';
import { groupOf } from './sns.ts';

/** A message may have 256 KB with its attributes. */
const maxMessageBytes = 240 * 1024;

/** Amazon SQS. Each message is sent to a queue, as the JSON of a webhook. */
export const sqs = defineKind({
  title: 'Amazon SQS',
  about:
    'Give the URL of a queue and an access key whose identity may only send there (`sqs:SendMessage`). The secret is kept sealed.',
  works:
    'sends to a queue (`sqs:SendMessage`), signed with an access key: the JSON of a webhook. A FIFO queue has a group for each incident',
  operator: [],
  readers: 'programs',
  getsScores: true,
  address: { type: 'settings', named: 'queueUrl', uriOf: toUri },
  members: {},
  settings: {
    queueUrl: {
      schema: Text('The queue.', 'https://sqs.eu-central-1.amazonaws.com/123456789012/alerts', { max: 2000 }),
      isPublic: true,
      isRequired: true,
    },
    ...awsKeySettings,
    region: {
      schema: Text('Region of the queue, where its URL does not name it.', 'eu-central-1', {
        max: 40,
        pattern: '^[a-z0-9-]+$',
      }),
      isPublic: true,
    },
  },
  check: (settings) =>
    settings.region === undefined && regionIn(String(settings.queueUrl)) === undefined
      ? {
          member: 'region',
          message:
            'is required where the URL of the queue does not name one, as sqs.eu-central-1.amazonaws.com does.',
        }
      : undefined,
  transport: 'request',
  readsBody: true,
  request: ({ settings }: Target, messages: readonly Message[], { now }): MessageRequest => {
    const [message] = messages;
    if (!message) throw new Error('A queue needs a message.');
    const queueUrl = String(settings.queueUrl);
    const isFifo = queueUrl.endsWith('.fifo');
    const made = {
      method: 'POST',
      uri: toUri(settings),
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessage' },
      body: JSON.stringify({
        QueueUrl: queueUrl,
        MessageBody: cutWebhookBody(message, maxMessageBytes),
        ...(isFifo ? { MessageGroupId: groupOf(message), MessageDeduplicationId: message.uid } : {}),
      }),
    };
    if (!URL.canParse(made.uri)) return made;
    const key = {
      accessKeyId: String(settings.accessKeyId),
      secretAccessKey: String(settings.secretAccessKey),
    };
    const region = typeof settings.region === 'string' ? settings.region : (regionIn(queueUrl) ?? '');
    return signAws(made, key, { region, service: 'sqs', now });
  },
  outcome: awsOutcome('SQS'),
});

/** Requests go to the root of the host, and name the queue in their body. */
function toUri({ queueUrl }: KindSettings): string {
  const text = String(queueUrl);
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.pathname = '/';
  return url.href;
}

function regionIn(queueUrl: string): string | undefined {
  return /^https?:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(queueUrl)?.[1];
}
