import type { EventType, Message } from '../../model/notification.ts';
import { actionStory, alertStory } from './alertStory.ts';
import { cleanText } from './clean.ts';
import { type Data, lineAt, memberAt, toTime } from './readData.ts';
import type { Story } from './story.ts';
import { subscriptionStory } from './subscriptionStory.ts';

/** The content of a message for people. */
export function toStory({ type, data, timestamp, uid }: Message): Story {
  const story = toMessageStory(type, data);
  const alertUid = type.startsWith('alert.') || type.startsWith('action.') ? lineAt(data, 'uid') : '';
  return {
    items: [],
    more: 0,
    links: [],
    footer: `Vigil · ${alertUid ? `alert ${alertUid}` : `message ${uid}`} · ${toTime(timestamp)}`,
    ...story,
  };
}

type MessageStory = Pick<Story, 'title' | 'lead' | 'facts'> & Partial<Story>;

function toMessageStory(type: EventType, data: Data): MessageStory {
  switch (type) {
    case 'alert.detector.raised':
    case 'alert.trigger.raised':
      return alertStory('', data.finality === 'PENDING' ? pendingNote : '', data);
    case 'alert.retracted':
      return alertStory('Retracted: ', retractionNote(data.retractionReason), data);
    case 'alert.resolved':
      return alertStory('Resolved: ', 'A user marked this alert as resolved.', data);
    case 'alert.updated': {
      const by = lineAt(data, 'acknowledgedBy');
      const note = data.acknowledged ? `Acknowledged${by ? ` by ${by}` : ''}.` : 'No longer acknowledged.';
      return alertStory('Updated: ', note, data);
    }
    case 'alert.repeated':
      return alertStory(`Reminder ${lineAt(data, 'repeat', 'number')}: `, repeatNote(data), data);
    case 'action.submitted':
      return actionStory('Action sent', data);
    case 'action.confirmed':
      return actionStory('Action confirmed', data);
    case 'action.failed':
      return actionStory('Action failed', data);
    case 'action.replaced':
      return actionStory('Action sent again with a higher fee', data);
    case 'action.waiting':
      return actionStory('Action waits for funds', data);
    case 'score.changed':
      return scoreStory(data);
    case 'subscription.expiring':
      return subscriptionStory(data);
    case 'destination.disabled':
      return disabledStory(data);
    case 'ping':
      return {
        title: 'Vigil can reach this destination',
        lead: 'This is a test message. Alerts will arrive in the same way.',
        facts: [],
      };
  }
}

const pendingNote = 'No block has the transaction yet: this is what it would do.';

function retractionNote(reason: unknown): string {
  switch (reason) {
    case 'REPLACED':
      return 'Another transaction of its sender took the place of the pending one: what it reported did not happen.';
    case 'DROPPED':
      return 'The pending transaction of this alert vanished: what it reported did not happen.';
    case 'UNFULFILLED':
      return 'A block has the transaction of this alert now, but there it did not do what was reported.';
    default:
      return 'The block of this alert is no longer part of its chain: what it reported did not happen.';
  }
}

function repeatNote(data: Data): string {
  const open = Number(memberAt(data, 'repeat', 'open'));
  const others = open > 1 ? ` ${open} alerts wait for an answer; this is the worst.` : '';
  return `No one has answered since ${toTime(memberAt(data, 'repeat', 'since'))}.${others}`;
}

function scoreStory(data: Data): MessageStory {
  const change = Number(memberAt(data, 'scoreChange'));
  const project = lineAt(data, 'project', 'name');
  const by = Number.isFinite(change) ? ` by ${change > 0 ? '+' : ''}${change}` : '';
  return {
    title: `Score${project ? ` of ${project}` : ''} changed${by} to ${lineAt(data, 'score')}`,
    lead: cleanText(
      [lineAt(data, 'alertName'), lineAt(data, 'alertMessage')].filter(Boolean).join('\n'),
      1500,
    ),
    facts: [
      { name: 'Group', value: lineAt(data, 'scoreGroup') },
      { name: 'License', value: lineAt(data, 'license', 'name') },
      { name: 'Transaction', value: lineAt(data, 'txHash') },
      { name: 'When', value: toTime(data.timestamp) },
    ].filter(({ value }) => value !== ''),
  };
}

function disabledStory(data: Data): MessageStory {
  const test = `POST /destination/${lineAt(data, 'destinationId')}/test`;
  const advice = lineAt(data, 'advice');
  return {
    title: 'A destination was disabled',
    lead: `Vigil no longer sends to it. Fix it, then send a test message (${test}): a successful one enables it again.${advice && ` ${advice}`}`,
    facts: [
      { name: 'Destination', value: lineAt(data, 'destinationId') },
      { name: 'Kind', value: lineAt(data, 'destinationType') },
      { name: 'Reason', value: lineAt(data, 'reason') },
      { name: 'Failing since', value: toTime(data.failingSince) },
    ].filter(({ value }) => value !== ''),
  };
}
