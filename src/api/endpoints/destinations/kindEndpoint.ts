import {
  type DestinationType,
  destinationKinds,
  isBoundByChat,
  isGrouped,
  isMailed,
  ownMembers,
} from '../../../destinations/destinationKinds.ts';
import { sealedSettings, settingsSchema } from '../../../destinations/kindSettings.ts';
import { destinationTypes } from '../../../model/enumerations.ts';
import { Flag, JsonObject, List, OneOf, Shape, Text, Words } from '../../../model/schema.ts';
import type { Call } from '../../../services/call.ts';
import { endpoint } from '../../http/endpoint.ts';

const kind = {
  type: OneOf(destinationTypes, 'The `type` of its destinations.', 'HTTP'),
  title: Text('What people call it; the operator may have named it.', 'Webhook'),
  about: Text('What a person has to do to add one.', 'Give the address of the webhook.', { max: 2000 }),
  members: Words('Members of the record that a form asks for, beside those that every kind has.', ['uri']),
  settings: JsonObject('JSON Schema of `settings`, in the order of `x-order`; secrets are `writeOnly`.', {}),
  secrets: Words('Members and settings that are sealed and never shown.', ['headers']),
  isGrouped: Flag('People read it: they get one message about an incident.'),
  isConfirmed: Flag('Its address is confirmed by a link that is mailed there.'),
  isBoundByChat: Flag('A chat binds itself with the text in `uid`.'),
  isSigned: Flag('Vigil makes a secret that signs its messages.'),
  isSetUp: Flag('Vigil can send to it: the operator has set what it needs.'),
};

/** The catalogue from which the console makes its form. */
export const kindEndpoint = endpoint({
  method: 'GET',
  path: '/destination/kind',
  tag: 'Destinations',
  summary: 'List the kinds of destination',
  description: 'What each kind needs, which of it is secret, and how its messages arrive.',
  reply: Shape({ data: List(Shape(kind, Object.keys(kind)), 'The kinds.') }, ['data']),
  effect: 'read',
  handle: async ({ services }) => ({
    body: { data: destinationTypes.map((type) => toEntry(type, services)) },
  }),
});

function toEntry(type: DestinationType, { notifier, messengerNames }: Call['services']) {
  const { title, about, address, members, settings, isSigned } = destinationKinds[type];
  const traits = destinationKinds[type];
  const names = { MESSENGER_A: messengerNames.a, MESSENGER_B: messengerNames.b };
  const given = ownMembers(type).filter((name) => members[name]?.isSetByChat !== true);
  const sealed = ownMembers(type).filter((name) => members[name]?.isPublic !== true);
  return {
    type,
    title: (type in names && names[type as keyof typeof names]) || title,
    about,
    members: [
      ...(address.type === 'mail' ? ['value'] : []),
      ...(address.type === 'chat' ? ['messengerABotUsername'] : []),
      ...given,
      ...(Object.keys(settings).length > 0 ? ['settings'] : []),
      ...(isGrouped(traits) ? ['groupWindowMs'] : []),
    ],
    settings: { ...settingsSchema(type) },
    secrets: [...sealed, ...sealedSettings(type).map((name) => `settings.${name}`)],
    isGrouped: isGrouped(traits),
    isConfirmed: isMailed(traits),
    isBoundByChat: isBoundByChat(traits),
    isSigned: isSigned === true,
    isSetUp: notifier.has(type),
  };
}
