import type { Destination } from '../../../../sdk/src/index.ts';

type Kind = Destination['type'];

type Traits = Pick<Destination, 'value' | 'uri' | 'messengerBUri' | 'messengerBChannelId'>;

/** The kind of a destination in a list, whose rows do not name it. */
export function kindOf({ value, uri, messengerBUri, messengerBChannelId }: Traits): Kind {
  if (uri !== null) return 'HTTP';
  if (messengerBUri !== null || messengerBChannelId !== null) return 'MESSENGER_B';
  return value?.includes('@') ? 'EMAIL' : 'MESSENGER_A';
}

/** What a person has to do for each kind. */
export const kindTexts: Readonly<Record<Kind, string>> = {
  EMAIL:
    'Vigil mails a link to the address. Nothing else is sent there until someone has opened it. Give it a group window to get one mail for many alerts.',
  HTTP: 'Vigil sends each message as JSON, signed by Standard Webhooks. Make a secret after you have created it, and check the signature with it. Answer with 2xx within ten seconds.',
  MESSENGER_A:
    'Create it, then add the bot to the chat and send the line that is shown with it. The chat is bound from then on.',
  MESSENGER_B:
    'Create an incoming webhook for the channel in the workspace, and paste its address here. It is kept sealed.',
};

const own: Readonly<Record<Kind, readonly string[]>> = {
  EMAIL: ['value', 'groupWindowMs'],
  HTTP: ['uri', 'method', 'headers'],
  MESSENGER_A: ['messengerABotUsername', 'groupWindowMs'],
  MESSENGER_B: ['messengerBUri', 'messengerBChannelId', 'messengerBChannelName', 'groupWindowMs'],
};

export function membersOf(kind: unknown): readonly string[] {
  return ['type', 'tenantId', 'name', 'gets', 'tags', ...(own[kind as Kind] ?? [])];
}
