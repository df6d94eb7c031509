import type { Message, Target } from '../../model/notification.ts';
import { Count, Text } from '../../model/schema.ts';
import { defineKind, type MessageRequest } from '../destinationKind.ts';
import { isClosed } from '../messageState.ts';
import { platformOutcome } from '../platformOutcome.ts';
import { cleanLine, cleanLink } from '../texts/clean.ts';
import { lineAt, memberAt } from '../texts/readData.ts';
import { toStory } from '../texts/toStory.ts';
import { uriBelow } from '../uriBelow.ts';

const path = '/api/v2/alerts';
const hourMs = 3_600_000;
const testMs = 60_000;
const defaultHoldHours = 168;

/** Prometheus Alertmanager, by its API v2. Each alert of Vigil is one alert there. */
export const alertmanager = defineKind({
  title: 'Prometheus Alertmanager',
  about:
    'Give the address of the Alertmanager, without /api/v2. Its own routes decide who is notified. An alert ends there when it is resolved or retracted here.',
  works:
    'pushes to `/api/v2/alerts`: each alert with labels (`alertname`, `severity`, `alert_uid`, `incident` …), annotations and `generatorURL`; `endsAt` is now once it is resolved or retracted, and until then `holdHours` ahead',
  operator: [],
  readers: 'programs',
  address: { type: 'settings', named: 'url', uriOf: ({ url }) => uriBelow(url, path) },
  members: {},
  settings: {
    url: {
      schema: Text('Address of the Alertmanager.', 'https://alertmanager.example.com', { max: 2000 }),
      isPublic: true,
      isRequired: true,
    },
    authorization: {
      schema: Text('The header `Authorization`, where it needs one.', 'Bearer alertmanager-example', {
        max: 2000,
        pattern: '^[\\x21-\\x7e][\\x20-\\x7e]*$',
      }),
    },
    holdHours: {
      schema: {
        ...Count('Hours after which an alert that nobody resolves ends there.', 168, 8760),
        default: 168,
      },
      isPublic: true,
    },
  },
  keepsStateOf: 'alert',
  transport: 'request',
  readsBody: true,
  request: ({ settings }: Target, messages: readonly Message[], { now }): MessageRequest => {
    const [message] = messages;
    if (!message) throw new Error('An alert needs a message.');
    const { authorization } = settings;
    return {
      method: 'POST',
      uri: uriBelow(settings.url, path),
      headers: {
        'content-type': 'application/json',
        ...(typeof authorization === 'string' ? { authorization } : {}),
      },
      body: JSON.stringify([toAlert(message, Number(settings.holdHours ?? defaultHoldHours), now)]),
    };
  },
  outcome: platformOutcome('Alertmanager'),
});

function toAlert(message: Message, holdHours: number, now: number) {
  const story = toStory(message);
  const startsAt = startOf(message);
  const lastsMs = message.type === 'ping' ? testMs : holdHours * hourMs;
  // An alert must not end before it starts.
  const endsAt = Math.max(startsAt, isClosed(message) ? now : now + lastsMs);
  const [link] = story.links;
  return {
    labels: withoutEmpty(labelsOf(message)),
    annotations: withoutEmpty({
      summary: story.title,
      description: story.lead,
      next_step: lineAt(message.data, 'nextSteps') || lineAt(message.data, 'nextStep'),
      runbook_url: cleanLink(message.data.runbookUrl) ?? '',
      transaction: lineAt(message.data, 'txHash'),
      block: lineAt(message.data, 'blockNumber'),
    }),
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date(endsAt).toISOString(),
    ...(link ? { generatorURL: link.url } : {}),
  };
}

/** The identity of the alert there: alike in every message about it. */
function labelsOf({ type, data, uid }: Message): Record<string, string> {
  const isAlert = type.startsWith('alert.') || type.startsWith('action.');
  return {
    alertname: (isAlert && lineAt(data, 'name')) || `Vigil ${type}`,
    severity: lineAt(data, 'severity').toLowerCase(),
    kind: lineAt(data, 'kind'),
    chain: lineAt(data, 'chainUid') || lineAt(data, 'contract', 'chainUid'),
    contract: lineAt(data, 'contract', 'name'),
    address: lineAt(data, 'contract', 'address'),
    project: lineAt(data, 'project', 'name'),
    incident: lineAt(data, 'incidentUid'),
    alert_uid: isAlert ? lineAt(data, 'uid') : type === 'ping' ? '' : uid,
    source: 'vigil',
  };
}

/** Alertmanager takes an empty label for a missing one. */
function withoutEmpty(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      text ? [[name, name === 'description' ? text : cleanLine(text, 500)]] : [],
    ),
  );
}

function startOf({ data, timestamp }: Message): number {
  const time = memberAt(data, 'timestamp');
  return typeof time === 'number' && !Number.isNaN(new Date(time).getTime()) ? time : timestamp;
}
