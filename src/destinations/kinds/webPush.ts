import { createHash } from 'node:crypto';
import { sealedText } from '../../lib/secret.ts';
import { isSevere } from '../../model/alert.ts';
import type { Message, Target } from '../../model/notification.ts';
import { Text } from '../../model/schema.ts';
import { defineKind, type KindSettings, type MessageRequest } from '../destinationKind.ts';
import { platformOutcome } from '../platformOutcome.ts';
import { nextStepName } from '../texts/alertStory.ts';
import { cleanLine } from '../texts/clean.ts';
import { digestStory, incidentOf } from '../texts/digestStory.ts';
import { encryptPush, isPushPoint, isPushPrivateKey, maxPushBytes, vapidHeader } from '../webPush.ts';

const base64url = (length: number) => `^[A-Za-z0-9_-]{${length}}$`;
/** A phone that is off for longer reads the console. */
const keptSeconds = 86_400;

/** A browser or a phone, by Web Push. Its keys are its own: the console makes them where the person agrees. */
export const webPush = defineKind({
  title: 'This browser or phone',
  about:
    'Open the console on the device that should ring, and press “Notify this device” on the page On call: it asks for permission, and fills this in. On an iPhone or iPad add the console to the home screen first. The push service of the browser carries messages that it cannot read.',
  works:
    'encrypts each message for one browser (RFC 8291) and sends it by the push service of that browser, signed with a key of its own (RFC 8292, VAPID). A press on the notification opens the alert',
  operator: [],
  readers: 'people',
  address: { type: 'settings', named: 'endpoint', uriOf: ({ endpoint }) => String(endpoint) },
  members: {},
  settings: {
    endpoint: {
      schema: Text(
        'Address of the browser at its push service.',
        'https://push.example.com/send/web-push-example-token',
        { max: 2000 },
      ),
      isRequired: true,
    },
    p256dh: {
      schema: Text(
        'Public key of the browser, 65 bytes in base64url.',
        'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        { pattern: base64url(87) },
      ),
      isRequired: true,
    },
    auth: {
      schema: Text('Secret of the subscription, 16 bytes in base64url.', 'BTBZMqHH6r4Tts7J_aSIgg', {
        pattern: base64url(22),
      }),
      isRequired: true,
    },
    vapidKey: {
      schema: Text(
        'Private key that the browser subscribed for, 32 bytes in base64url. The console makes one for each device.',
        'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
        { pattern: base64url(43) },
      ),
      isRequired: true,
    },
    contact: {
      schema: Text(
        'Whom a push service may ask about the sender: the address of this server, or `mailto:` and a mail address.',
        'https://vigil.example.com',
        { max: 300, pattern: '^(https://|mailto:)\\S+$' },
      ),
      isPublic: true,
      isRequired: true,
    },
  },
  check: ({ p256dh, vapidKey }: KindSettings) => {
    if (!isPushPoint(p256dh)) return { member: 'p256dh', message: 'is no public key of the curve P-256.' };
    if (!isPushPrivateKey(vapidKey))
      return { member: 'vapidKey', message: 'is no private key of the curve P-256.' };
    return undefined;
  },
  transport: 'request',
  readsBody: true,
  request: ({ settings }: Target, messages: readonly Message[], { now }): MessageRequest => {
    const { endpoint, p256dh, auth, vapidKey, contact } = settings;
    const { text, isUrgent } = notificationOf(messages);
    const incident = incidentOf(messages);
    const headers = {
      ttl: String(keptSeconds),
      urgency: isUrgent ? 'high' : 'normal',
      // A later message about an incident replaces the one that waits for the device.
      ...(incident ? { topic: topicOf(incident) } : {}),
    };
    const made = { method: 'POST', uri: String(endpoint) };
    // A preview, which has no keys.
    if (auth === sealedText)
      return { ...made, headers: { ...headers, 'content-type': 'application/json' }, body: text };
    const keys = { p256dh: bytesOf(p256dh), auth: bytesOf(auth) };
    return {
      ...made,
      headers: {
        ...headers,
        authorization: vapidHeader(String(endpoint), bytesOf(vapidKey), String(contact), now),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
      },
      body: text,
      bytes: encryptPush(Buffer.from(text), keys),
    };
  },
  // A push service forgets a browser that withdrew its permission.
  outcome: platformOutcome('The push service', { gone: [404, 410] }),
});

function bytesOf(text: unknown): Buffer {
  return Buffer.from(String(text), 'base64url');
}

/** Push services take 32 signs of base64url. */
function topicOf(incidentUid: string): string {
  return createHash('sha256').update(incidentUid).digest('base64url').slice(0, 32);
}

/** As `worker.js` of the console reads it. */
function notificationOf(messages: readonly Message[]): { text: string; isUrgent: boolean } {
  const { title, lead, severity, facts, items, links } = digestStory(messages);
  const steps = facts
    .filter(({ name }) => name === nextStepName)
    .map(({ name, value }) => `${name}: ${value}`);
  const parts = items.slice(0, 5).map((item) => `${item.title}: ${item.lead}`);
  const body = [cutWhole(lead, 700), ...parts, ...steps].filter(Boolean).join('\n');
  const incident = incidentOf(messages);
  const isUrgent = severity !== undefined && isSevere(severity);
  const fixed = {
    title: cleanLine(title, 120),
    url: links.find(({ isAct }) => !isAct)?.url ?? '',
    tag: incident ? topicOf(incident) : '',
    isUrgent,
  };
  // Cut by bytes of the whole text: signs outside of ASCII take more than one.
  for (let length = 1200; length > 0; length = Math.floor(length / 2)) {
    const text = JSON.stringify({ ...fixed, body: cutWhole(body, length) });
    if (Buffer.byteLength(text) <= maxPushBytes) return { text, isUrgent };
  }
  return {
    text: JSON.stringify({ title: fixed.title, body: '', url: '', tag: fixed.tag, isUrgent }),
    isUrgent,
  };
}

function cutWhole(text: string, length: number): string {
  const signs = [...text];
  return signs.length <= length ? text : `${signs.slice(0, length - 1).join('')}…`;
}
