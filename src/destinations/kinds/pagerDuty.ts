import type { Severity } from '../../model/alert.ts';
import type { Message, Target } from '../../model/notification.ts';
import { Text } from '../../model/schema.ts';
import { defineKind, type MessageRequest } from '../destinationKind.ts';
import { isClosed } from '../messageState.ts';
import { platformOutcome } from '../platformOutcome.ts';
import { isPagerDutySigned, readPagerDutyEvent } from '../readPagerDutyEvent.ts';
import { cleanLine } from '../texts/clean.ts';
import { lineAt, memberAt, severityIn } from '../texts/readData.ts';
import type { Story } from '../texts/story.ts';
import { toStory } from '../texts/toStory.ts';
import { uriBelow } from '../uriBelow.ts';

/** The words of the Events API for our severities; it has four. */
const severities: Readonly<Record<Severity, string>> = {
  INFO: 'info',
  LOW: 'warning',
  MEDIUM: 'warning',
  HIGH: 'error',
  CRITICAL: 'critical',
};
const path = '/v2/enqueue';
/** Limits of the Events API. */
const maxSummary = 1024;
const maxBodyBytes = 512 * 1024;

/** PagerDuty, by its Events API v2. One incident of Vigil is one alert there. */
export const pagerDuty = defineKind({
  title: 'PagerDuty',
  about:
    'Add an integration of the type “Events API v2” to a service, and paste its integration key here. It is kept sealed. For acknowledgements to come back, add a Generic Webhook (v3) for the service with the address `/api/v1/destination/<id>/callback` of this server, and paste its secret. A test message pages and resolves at once.',
  works:
    'Events API v2: an incident is one alert there (`dedup_key`), triggered by its first alert and resolved when all its alerts are resolved or retracted. `url` is `https://events.eu.pagerduty.com` in the EU',
  operator: [],
  readers: 'programs',
  address: {
    type: 'settings',
    named: 'url',
    uriOf: ({ url }) => uriBelow(url, path),
  },
  members: {},
  settings: {
    routingKey: {
      schema: Text('Integration key of the service.', 'e93facc04764012d7bfb002500d5d1a6', {
        pattern: '^[0-9A-Za-z]{32}$',
      }),
      isRequired: true,
    },
    webhookSecret: {
      schema: Text(
        'Secret of its webhook subscription (v3), by which acknowledgements and resolutions come back.',
        'pagerduty-example-webhook-secret',
        { min: 16, max: 200 },
      ),
    },
    url: {
      schema: {
        ...Text('Where the Events API is.', 'https://events.eu.pagerduty.com', { max: 2000 }),
        default: 'https://events.pagerduty.com',
      },
      isPublic: true,
    },
  },
  keepsStateOf: 'incident',
  callback: {
    isSigned: ({ webhookSecret }, signature, body) =>
      typeof webhookSecret === 'string' && isPagerDutySigned(webhookSecret, signature, body),
    read: readPagerDutyEvent,
  },
  transport: 'request',
  readsBody: true,
  request: (target: Target, messages: readonly Message[]): MessageRequest | undefined => {
    const [message] = messages;
    if (!message) throw new Error('An event needs a message.');
    const action = actionOf(message);
    return action && event(target, message, action);
  },
  outcome: platformOutcome('PagerDuty'),
  endTest: (target: Target, message: Message) => event(target, message, 'resolve'),
});

type Action = 'trigger' | 'acknowledge' | 'resolve';

/** Undefined where there is nothing to say: what became of one alert while others of its incident are open. */
function actionOf(message: Message): Action | undefined {
  const { type } = message;
  if (!type.startsWith('alert.')) return 'trigger';
  if (isClosed(message)) return 'resolve';
  if (type === 'alert.updated') return updateOf(message);
  return type.endsWith('.raised') || type === 'alert.repeated' ? 'trigger' : undefined;
}

/** The deed of people on an incident that is open. Nothing takes an acknowledgement back there. */
function updateOf({ data, state }: Message): Action | undefined {
  if (data.reopened === true) return 'trigger';
  return state?.isAcknowledged ? 'acknowledge' : undefined;
}

/** The same for every message about an incident, so that a callback of the pager leads back to it. */
function dedupKey({ type, data, uid }: Message, target: Target): string {
  if (type === 'ping') return `vigil-test-${target.id}`;
  return `vigil-${lineAt(data, 'incidentUid') || lineAt(data, 'uid') || uid}`;
}

function event(target: Target, message: Message, action: Action): MessageRequest {
  const common = {
    routing_key: target.settings.routingKey,
    event_action: action,
    dedup_key: dedupKey(message, target),
  };
  const body = action === 'trigger' ? { ...common, ...triggered(message) } : common;
  const text = JSON.stringify(body);
  return {
    method: 'POST',
    uri: uriBelow(target.settings.url, path),
    headers: { 'content-type': 'application/json' },
    body: Buffer.byteLength(text) <= maxBodyBytes ? text : JSON.stringify({ ...body, ...bare(message) }),
  };
}

function triggered(message: Message) {
  const story = toStory(message);
  const { data } = message;
  const payload = {
    ...bare(message).payload,
    component: lineAt(data, 'contract', 'name') || undefined,
    group: lineAt(data, 'project', 'name') || undefined,
    class: lineAt(data, 'name') || undefined,
    custom_details: details(story),
  };
  const [link] = story.links;
  return {
    payload,
    links: story.links.map(({ label, url }) => ({ href: url, text: label })),
    client: 'Vigil',
    ...(link ? { client_url: link.url } : {}),
  };
}

/** The members that every event must have. */
function bare(message: Message) {
  const { title, lead, severity } = toStory(message);
  return {
    payload: {
      summary: cleanLine(lead ? `${title}: ${lead}` : title, maxSummary),
      source: lineAt(message.data, 'contract', 'address') || 'Vigil',
      severity: severities[severity ?? severityIn(message.data) ?? 'INFO'],
      timestamp: new Date(timeOf(message)).toISOString(),
    },
  };
}

function timeOf({ data, timestamp }: Message): number {
  const time = memberAt(data, 'timestamp');
  return typeof time === 'number' && Number.isFinite(new Date(time).getTime()) ? time : timestamp;
}

function details({ lead, facts }: Story): Record<string, string> {
  return Object.fromEntries([['What happened', lead], ...facts.map(({ name, value }) => [name, value])]);
}
