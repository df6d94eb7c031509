import type { Message, SendOutcome, Target } from '../../model/notification.ts';
import { defineKind, type KindResponse, type MessageRequest } from '../destinationKind.ts';
import { readRetryAfter } from '../readRetryAfter.ts';
import { cleanLine } from '../texts/clean.ts';
import { digestStory } from '../texts/digestStory.ts';
import { toMessengerBBlocks } from '../texts/toMessengerBBlocks.ts';

/** Posts to the incoming webhook of a workplace chat; several messages become one. */
export const messengerB = defineKind({
  title: 'Chat channel, through its webhook',
  about:
    'Create an incoming webhook for the channel in the workspace, and paste its address here. It is kept sealed.',
  works:
    'posts to an incoming webhook, whose address is sealed. `VIGIL_MESSENGER_B_NAME` is what the console calls it',
  operator: [],
  readers: 'people',
  address: { type: 'member', member: 'messengerBUri' },
  members: {
    messengerBUri: {},
    messengerBChannelId: { isPublic: true },
    messengerBChannelName: { isPublic: true },
  },
  settings: {},
  transport: 'request',
  readsBody: true,
  request: ({ messengerBUri, value }: Target, messages: readonly Message[]): MessageRequest => ({
    method: 'POST',
    uri: messengerBUri ?? value ?? '',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(toMessengerBBlocks(digestStory(messages))),
  }),
  outcome,
});

function outcome({ status, headers, shown }: KindResponse, now: number): SendOutcome {
  if (status >= 200 && status < 300) return { ok: true, status };
  const error = `The chat responded with ${status}${shown ? `: ${cleanLine(shown, 200)}` : ''}`;
  if (status === 404 || status === 410) return { ok: false, status, error, gone: true, permanent: true };
  if (status === 429 || status >= 500) {
    const retryAfterMs = readRetryAfter(headers['retry-after'], now);
    return { ok: false, status, error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  // A malformed message fails every time; a closed channel may open again.
  return status === 400 ? { ok: false, status, error, permanent: true } : { ok: false, status, error };
}
