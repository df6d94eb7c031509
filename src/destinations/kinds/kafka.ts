import type { Message, Target } from '../../model/notification.ts';
import { Flag, OneOf, Text } from '../../model/schema.ts';
import { certificateFault, certificateSetting } from '../certificateSetting.ts';
import {
  defineKind,
  type KafkaAccess,
  type KafkaLogin,
  type KafkaRecord,
  type KindSettings,
} from '../destinationKind.ts';
import { formatFault, formatSettings } from '../formats/formatSettings.ts';
import { lineAt } from '../texts/readData.ts';
import { formattedBody } from '../toWebhookRequest.ts';

const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
const defaultMechanism = 'SCRAM-SHA-512';
const defaultPort = 9092;
const maxBrokers = 5;
/** Topics take 1 MB by default, and JSON writes some characters as six. */
const maxTemplateValues = 120_000;

/** Apache Kafka. Each message is a record of a topic, with the uid of its alert as the key. */
export const kafka = defineKind({
  title: 'Apache Kafka',
  about:
    'Give one or more brokers of the cluster, a topic that exists there, and a user that may only write to it (WRITE and DESCRIBE). The password is kept sealed.',
  works:
    'writes to a topic (acks=all; the JSON of a webhook, or another `format`). The key is the uid of the alert, so that all about an alert is in one partition in its order; the header `webhook-id` is the same in each attempt. Brokers of Kafka 0.11 or newer; ports 9092 to 9098, others by VIGIL_ALLOW_PORTS',
  operator: [],
  readers: 'programs',
  getsScores: true,
  address: {
    type: 'settings',
    named: 'brokers',
    uriOf: (settings) => brokerUris(settings)[0] ?? '',
    moreUrisOf: (settings) => brokerUris(settings).slice(1),
  },
  members: {},
  settings: {
    brokers: {
      schema: Text(
        `Hosts and ports of up to ${maxBrokers} brokers, with commas between them; they name the others.`,
        'kafka-1.example.com:9092,kafka-2.example.com:9092',
        { max: 1500, pattern: '^[0-9A-Za-z.:_\\[\\]-]+( *, *[0-9A-Za-z.:_\\[\\]-]+)*$' },
      ),
      isPublic: true,
      isRequired: true,
    },
    topic: {
      schema: Text('The topic.', 'alerts', { max: 249, pattern: '^(?!\\.{1,2}$)[0-9A-Za-z._-]+$' }),
      isPublic: true,
      isRequired: true,
    },
    tls: {
      schema: { ...Flag('Encrypts the connections (TLS).'), examples: [true], default: true },
      isPublic: true,
    },
    ...certificateSetting,
    mechanism: {
      schema: {
        ...OneOf(
          mechanisms,
          'How a user logs in (SASL). PLAIN shows the password to the broker and needs TLS.',
          defaultMechanism,
        ),
        default: defaultMechanism,
      },
      isPublic: true,
    },
    username: { schema: Text('The user, where brokers ask for one.', 'vigil', { max: 255 }), isPublic: true },
    password: { schema: Text('Its password.', 'kafka-password-example', { max: 1000 }) },
    ...formatSettings,
  },
  check: (settings) =>
    certificateFault(settings) ?? formatFault(settings) ?? brokersFault(settings) ?? loginFault(settings),
  isArchive: true,
  ports: [9092, 9093, 9094, 9095, 9096, 9097, 9098],
  transport: 'kafka',
  record: (target: Target, message: Message): KafkaRecord => {
    const { body, contentType } = formattedBody(target, message, maxTemplateValues);
    return {
      topic: String(target.settings.topic),
      key: lineAt(message.data, 'uid') || message.uid,
      value: body,
      headers: {
        'webhook-id': message.uid,
        'content-type': contentType,
        type: message.type,
      },
    };
  },
  access: (settings): KafkaAccess => ({
    brokers: brokerUris(settings),
    isTls: settings.tls !== false,
    trusted: typeof settings.certificate === 'string' ? settings.certificate : undefined,
    login: loginIn(settings),
  }),
});

/** The brokers as addresses: the scheme says only that they are checked as those of webhooks are. */
function brokerUris({ brokers }: KindSettings): string[] {
  return (typeof brokers === 'string' ? brokers : '').split(',').map((broker) => brokerUri(broker.trim()));
}

function brokerUri(broker: string): string {
  const isBareIpv6 = (broker.match(/:/g) ?? []).length > 1 && !broker.startsWith('[');
  const host = isBareIpv6 ? `[${broker}]` : broker;
  return /:\d+$/.test(host) ? `https://${host}/` : `https://${host}:${defaultPort}/`;
}

function brokersFault(settings: KindSettings) {
  const uris = brokerUris(settings);
  const count = `must be at most ${maxBrokers} brokers; Vigil learns the others from them.`;
  if (uris.length > maxBrokers) return { member: 'brokers', message: count };
  const form = 'must be hosts with ports, such as kafka-1.example.com:9092,kafka-2.example.com:9092.';
  return uris.every((uri) => URL.canParse(uri)) ? undefined : { member: 'brokers', message: form };
}

function loginFault({ tls, mechanism, username, password }: KindSettings) {
  if (username === undefined && password !== undefined)
    return { member: 'username', message: 'is required where there is a password.' };
  if (username !== undefined && password === undefined)
    return { member: 'password', message: 'is required where there is a user.' };
  return username !== undefined && mechanism === 'PLAIN' && tls === false
    ? { member: 'mechanism', message: 'must be SCRAM without TLS: PLAIN would send the password in clear.' }
    : undefined;
}

function loginIn({ mechanism, username, password }: KindSettings): KafkaLogin | undefined {
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { mechanism: mechanisms.find((name) => name === mechanism) ?? defaultMechanism, username, password };
}
