import type { Severity } from '../../model/alert.ts';
import type { Message, Target } from '../../model/notification.ts';
import { Count, Text } from '../../model/schema.ts';
import { certificateFault, certificateSetting } from '../certificateSetting.ts';
import { defineKind } from '../destinationKind.ts';
import { severityIn } from '../texts/readData.ts';
import { cutWebhookBody } from '../toWebhookRequest.ts';

/** Numerical severities of RFC 5424: critical, error, warning, notice and informational. */
const severities: Readonly<Record<Severity, number>> = { CRITICAL: 2, HIGH: 3, MEDIUM: 4, LOW: 5, INFO: 6 };
const informational = 6;
const defaultFacility = 16;
/** Receivers should take this much (RFC 5425). */
const maxFrameBytes = 8192;
const maxSequence = 2_147_483_647;

/** Syslog (RFC 5424) over TLS with octet counting (RFC 5425). */
export const syslog = defineKind({
  title: 'Syslog over TLS',
  about:
    'Give the host and the port of a syslog server that takes RFC 5424 over TLS. Where its certificate is signed by an authority of your own, paste that authority’s certificate.',
  works:
    'RFC 5424 over TLS with octet counting; the message is the JSON of a webhook, cut to 8 KB. The protocol has no answer: a message is delivered once it is written. `certificate` pins the authority',
  operator: [],
  readers: 'programs',
  address: { type: 'settings', named: 'host', uriOf: ({ host, port }) => toUri(host, port) },
  members: {},
  settings: {
    host: {
      schema: Text('Host of the syslog server.', 'syslog.example.com', {
        max: 255,
        pattern: '^[0-9A-Za-z.:_\\[\\]-]+$',
      }),
      isPublic: true,
      isRequired: true,
    },
    port: {
      schema: { ...Count('Its port.', 6514, 65_535), minimum: 1, default: 6514 },
      isPublic: true,
    },
    facility: {
      schema: {
        ...Count('Facility of the messages; 16 is local0.', defaultFacility, 23),
        default: defaultFacility,
      },
      isPublic: true,
    },
    ...certificateSetting,
  },
  check: certificateFault,
  isArchive: true,
  ports: [6514],
  transport: 'stream',
  frame: ({ settings }: Target, message: Message) =>
    toFrame(Number(settings.facility ?? defaultFacility), message),
  trusted: ({ certificate }) => (typeof certificate === 'string' ? certificate : undefined),
});

function toUri(host: unknown, port: unknown): string {
  const text = String(host);
  const bracketed = text.includes(':') && !text.startsWith('[') ? `[${text}]` : text;
  return `https://${bracketed}:${Number(port ?? 6514)}/`;
}

function toFrame(facility: number, message: Message): Buffer {
  const { type, timestamp, sequence, data } = message;
  const severity = severityIn(data);
  const priority = facility * 8 + (severity ? severities[severity] : informational);
  const time = new Date(timestamp).toISOString();
  const meta = `[origin software="Vigil"][meta sequenceId="${(sequence % maxSequence) + 1}"]`;
  const head = `<${priority}>1 ${time} vigil Vigil - ${type.slice(0, 32)} ${meta} `;
  const text = `${head}\uFEFF${cutWebhookBody(message, maxFrameBytes - Buffer.byteLength(head) - 10)}`;
  return Buffer.from(`${Buffer.byteLength(text)} ${text}`);
}
