import { defineKind } from '../destinationKind.ts';

const bound = { isPublic: true, isSetByChat: true } as const;

export const messengerA = defineKind({
  title: 'Chat, through a bot',
  about:
    'Create it, then add the bot to the chat and send the line that is shown with it. The chat is bound from then on.',
  works:
    'bind it by sending the destination’s `uid` (`/bind …`) to the bot. `VIGIL_MESSENGER_A_NAME` is what the console calls it',
  operator: ['VIGIL_MESSENGER_A_URL', 'VIGIL_MESSENGER_A_TOKEN'],
  readers: 'people',
  address: { type: 'chat' },
  // `messengerABotUsername` is a text without effect that the API allows on every type.
  members: {
    messengerAUserId: bound,
    messengerAUsername: bound,
    messengerAChatId: bound,
    messengerAChatTitle: bound,
    messengerAChatType: bound,
  },
  settings: {},
  edits: true,
  transport: 'bot',
});
