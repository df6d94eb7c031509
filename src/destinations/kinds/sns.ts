import type { Message, Target } from '../../model/notification.ts';
import { Text } from '../../model/schema.ts';
import { awsKeySettings, awsOutcome } from '../awsSettings.ts';
import { defineKind, type KindSettings, type MessageRequest } from '../destinationKind.ts';
import { signAws } from '../signAws.ts';
import { cleanLine } from '../texts/clean.ts';
import { lineAt } from '../texts/readData.ts';
import { toStory } from '../texts/toStory.ts';
import { cutWebhookBody } from '../toWebhookRequest.ts';
import { uriBelow } from '../uriBelow.ts';

/** A message may have 256 KB with its attributes. */
const maxMessageBytes = 240 * 1024;
const maxSubject = 100;
const apiVersion = '2010-03-31';

/** Amazon SNS. Each message is published to a topic, as the JSON of a webhook. */
export const sns = defineKind({
  title: 'Amazon SNS',
  about:
    'Give the ARN of a topic and an access key whose identity may only publish there (`sns:Publish`). The secret is kept sealed.',
  works:
    'publishes to a topic (`sns:Publish`), signed with an access key: the JSON of a webhook, with `type` and `severity` as attributes for filters. A FIFO topic has a group for each incident',
  operator: [],
  readers: 'programs',
  getsScores: true,
  address: { type: 'settings', named: 'endpoint', uriOf: toUri },
  members: {},
  settings: {
    topicArn: {
      schema: Text('The topic.', 'arn:aws:sns:eu-central-1:123456789012:alerts', {
        max: 400,
        pattern: '^arn:aws[a-z-]*:sns:[a-z0-9-]+:\\d{12}:[0-9A-Za-z_-]+(\\.fifo)?$',
      }),
      isPublic: true,
      isRequired: true,
    },
    ...awsKeySettings,
    endpoint: {
      schema: Text(
        'Address of the service, where it is not that of the topic’s region.',
        'https://vpce-1.sns.eu-central-1.vpce.amazonaws.com',
        {
          max: 2000,
        },
      ),
      isPublic: true,
    },
  },
  transport: 'request',
  readsBody: true,
  request: ({ settings }: Target, messages: readonly Message[], { now }): MessageRequest => {
    const [message] = messages;
    if (!message) throw new Error('A notification needs a message.');
    const made = {
      method: 'POST',
      uri: toUri(settings),
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: new URLSearchParams(fieldsOf(String(settings.topicArn), message)).toString(),
    };
    if (!URL.canParse(made.uri)) return made;
    const key = {
      accessKeyId: String(settings.accessKeyId),
      secretAccessKey: String(settings.secretAccessKey),
    };
    return signAws(made, key, { region: regionOf(settings), service: 'sns', now });
  },
  outcome: awsOutcome('SNS'),
});

function regionOf({ topicArn }: KindSettings): string {
  return String(topicArn).split(':')[3] ?? '';
}

function toUri(settings: KindSettings): string {
  const { endpoint, topicArn } = settings;
  if (typeof endpoint === 'string') return uriBelow(endpoint, '/');
  const domain = String(topicArn).startsWith('arn:aws-cn:') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://sns.${regionOf(settings)}.${domain}/`;
}

function fieldsOf(topicArn: string, message: Message): Record<string, string> {
  const { type, data, uid } = message;
  const attributes = { type, ...(lineAt(data, 'severity') ? { severity: lineAt(data, 'severity') } : {}) };
  return {
    Action: 'Publish',
    Version: apiVersion,
    TopicArn: topicArn,
    Message: cutWebhookBody(message, maxMessageBytes),
    Subject: toSubject(toStory(message).title),
    ...Object.fromEntries(
      Object.entries(attributes).flatMap(([name, value], index) => [
        [`MessageAttributes.entry.${index + 1}.Name`, name],
        [`MessageAttributes.entry.${index + 1}.Value.DataType`, 'String'],
        [`MessageAttributes.entry.${index + 1}.Value.StringValue`, value],
      ]),
    ),
    ...(topicArn.endsWith('.fifo') ? { MessageGroupId: groupOf(message), MessageDeduplicationId: uid } : {}),
  };
}

/** Messages of one group arrive in order: those about an incident, or about one alert. */
export function groupOf({ data, uid }: Message): string {
  return (lineAt(data, 'incidentUid') || lineAt(data, 'uid') || uid)
    .replace(/[^0-9A-Za-z_-]/g, '-')
    .slice(0, 128);
}

/** A subject is ASCII and begins with a letter, a digit or a mark. */
function toSubject(title: string): string {
  const text = title.normalize('NFKD').replace(/[^\x20-\x7e]+/g, ' ');
  return cleanLine(text, 1000).slice(0, maxSubject).trim() || 'Vigil';
}
