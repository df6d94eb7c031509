import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type DestinationType,
  destinationKinds,
  foreignMembers,
  isBoundByChat,
  isMailed,
  ownMembers,
} from '../../destinations/destinationKinds.ts';
import { webhookFault } from '../../lib/egress.ts';
import { isMailAddress, mailAddressWords, normalizeMailAddress } from '../../lib/mailAddress.ts';
import { maskUri, sealedText } from '../../lib/secret.ts';
import { destinationTypes } from '../../model/enumerations.ts';
import { type Fault, invalid, Problem, unprocessable } from '../../model/errors.ts';
import { isMailedMember } from '../../store/destinations/confirmations.ts';
import { createBindCommand } from '../../store/destinations/messengerBinding.ts';
import { findSealedMessengerBUri } from '../../store/destinations/targets.ts';
import { type Row, reserveId } from '../../store/records/records.ts';
import { destinationTable } from '../../store/tables/destinationTable.ts';
import type { InputOf, RecordOf } from '../../store/tables/table.ts';
import type { Call } from '../call.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';
import { checkGets } from './checkGets.ts';
import { prepareSettings } from './prepareSettings.ts';
import { refuseKeptHeaders, sealHeaders } from './sealHeaders.ts';

type DestinationFields = (typeof destinationTable)['fields'];
type DestinationChange = {
  /** Of a new destination, the reserved one. */
  id: number;
  tenantId: number;
  input: InputOf<DestinationFields>;
  current: RecordOf<DestinationFields> | undefined;
};

/** Only `/bind` in a chat sets these: a tenant that could name a chat could send messages to anyone's. */
const boundMembers = destinationTypes.flatMap((type) =>
  ownMembers(type).filter((member) => destinationKinds[type].members[member]?.isSetByChat),
);

/** The member of the record that has the address; `value` is a second name of it. */
function addressMember(type: DestinationType): 'uri' | 'messengerBUri' | undefined {
  const { address } = destinationKinds[type];
  return address.type === 'member' ? address.member : undefined;
}

/** The address of this kind is a credential, of which only the origin is shown. */
function hasSealedAddress(type: DestinationType): boolean {
  const member = addressMember(type);
  return member !== undefined && destinationKinds[type].members[member]?.isPublic !== true;
}

export async function prepareDestination(
  call: Call,
  requested: ChangeOf<typeof destinationTable>,
): Promise<Row> {
  const { current } = requested;
  const type = current ? (requested.input.type ?? current.type) : requested.input.type;
  const change = {
    id: current?.id ?? (await reserveId(call.db, destinationTable)),
    tenantId: tenantOf(requested),
    input: withoutMasked(requested.input, current),
    current,
  };
  const { headers, ...rest } = change.input;
  const address = readAddress(type, change);
  checkAddress(call, type, address, change);
  refuseChat(change);
  refuseKeptHeaders(current, headers, address);
  refuseForeign(type, change);
  refuseDerivedValue(type, change);
  await checkGets(call, change.tenantId, change.input.gets, current?.gets);
  const own = addressMember(type);
  return {
    ...rest,
    ...(current ? {} : { id: change.id }),
    ...(current && current.type !== type ? withoutForeign(type, current.type) : {}),
    ...(address === undefined ? {} : { value: address, ...(own ? { [own]: address } : {}) }),
    ...(await sealMessengerBUri(call, change, hasSealedAddress(type) ? address : undefined)),
    ...(await confirmation(call, change, type, address)),
    ...(destinationKinds[type].members.method && !current?.method && !change.input.method
      ? { method: 'POST' }
      : {}),
    ...(isUnbound(change) ? unbound : {}),
    ...(needsUid(type, change) ? { uid: isChat(type) ? createBindCommand() : randomUUID() } : {}),
    ...(headers === undefined ? {} : await sealHeaders(call, change, headers)),
    ...(await prepareSettings(call, type, change)),
  };
}

/** A masked address that comes back unchanged changes nothing. */
function withoutMasked(
  input: DestinationChange['input'],
  current: DestinationChange['current'],
): DestinationChange['input'] {
  const isMasked = (member: 'value' | 'messengerBUri') =>
    typeof input[member] === 'string' && input[member].endsWith(`/${sealedText}`);
  const values = { ...input };
  for (const member of ['value', 'messengerBUri'] as const) {
    if (!isMasked(member)) continue;
    if (input[member] !== current?.[member])
      throw invalid(
        `/${member}`,
        'sealed',
        `${sealedText} stands for an address that is stored, and this is another one; give the whole address.`,
      );
    delete values[member];
  }
  return values;
}

/** A new address needs a confirmation, unless the user accepted an invite that was mailed to it. */
async function confirmation(
  { db, principal, now }: Call,
  { current }: DestinationChange,
  type: DestinationType,
  address: string | null | undefined,
): Promise<Row> {
  if (!isMailed(destinationKinds[type]) || address == null) return {};
  if (current && isMailed(destinationKinds[current.type]) && current.value === address) return {};
  const isOwnAddress = principal.userId !== null && (await isMailedMember(db, principal.userId, address));
  return { confirmedAt: isOwnAddress ? now : null };
}

/** The address of a MESSENGER_B webhook is a credential: it is sealed to the destination, and only its origin is shown. */
async function sealMessengerBUri(
  { db, services }: Call,
  { id, tenantId, input, current }: DestinationChange,
  address: string | null | undefined,
): Promise<Row> {
  const uri = address ?? input.messengerBUri;
  if (uri === undefined) return {};
  if (uri === null) return { sealedMessengerBUri: null };
  const secretOwner = { tenantId, kind: 'destination', id, member: 'messengerBUri' };
  const shown = { messengerBUri: maskUri(uri), ...(address == null ? {} : { value: maskUri(uri) }) };
  const box = current ? await findSealedMessengerBUri(db, id) : null;
  if (box && (await services.keyring.unseal(secretOwner, box)) === uri) return shown;
  return { ...shown, sealedMessengerBUri: services.keyring.seal(secretOwner, uri) };
}

const isChat = (type: DestinationType) => isBoundByChat(destinationKinds[type]);

/** The uid of MESSENGER_A is its bind command, so a change to or from this type needs a new uid. */
function needsUid(type: DestinationType, change: DestinationChange): boolean {
  const { current } = change;
  if (!current || isChat(type) !== isChat(current.type)) return true;
  // The old command has been seen in the chat.
  return isChat(type) && isUnbound(change);
}

/** The members may come back as they were read, or as null. */
function refuseChat({ input, current }: DestinationChange): void {
  for (const member of boundMembers) {
    const value = input[member];
    if (value == null || value === current?.[member]) continue;
    const message =
      'is set when a chat is bound: send the text in `uid` of a MESSENGER_A destination (`/bind <code>`) to the bot there.';
    throw unprocessable(`/${member}`, 'bound-by-chat', message);
  }
}

/** Members of a different type may come back as read, or as null. */
function refuseForeign(type: DestinationType, { input, current }: DestinationChange): void {
  const faults = foreignMembers(type).flatMap((member): Fault[] => {
    const value = input[member];
    if (value == null || isDeepStrictEqual(value, current?.[member])) return [];
    const owner = destinationTypes.find((candidate) => ownMembers(candidate).includes(member));
    const message = `belongs to destinations of type ${owner}, and this is one of type ${type}; leave it out.`;
    return [{ pointer: `/${member}`, code: 'other-type', message }];
  });
  const [first] = faults;
  if (first) throw new Problem('unprocessable', `${first.pointer}: ${first.message}`, { errors: faults });
}

/** `value` of a kind whose address follows from its settings may come back as it was read, or as null. */
function refuseDerivedValue(type: DestinationType, { input, current }: DestinationChange): void {
  const { address } = destinationKinds[type];
  if (address.type !== 'settings' || input.value == null || input.value === current?.value) return;
  const message = `follows from \`settings\` of a destination of type ${type}; change \`settings.${address.named}\` instead.`;
  throw unprocessable('/value', 'other-type', message);
}

/** Nothing is left of the type that a destination had before. */
function withoutForeign(type: DestinationType, before: DestinationType): Row {
  const columns: Partial<Record<string, readonly string[]>> = {
    headers: ['headerNames', 'sealedHeaders'],
    messengerBUri: ['messengerBUri', 'sealedMessengerBUri'],
  };
  const names = foreignMembers(type).flatMap((member) => columns[member] ?? [member]);
  // An address that followed from settings goes with them.
  const isDerived = destinationKinds[before].address.type === 'settings';
  return Object.fromEntries([...names, ...(isDerived ? ['value'] : [])].map((name) => [name, null]));
}

/** An unbound destination keeps nothing of the user who bound it. */
const unbound = Object.fromEntries(boundMembers.map((member) => [member, null]));

function isUnbound({ input, current }: DestinationChange): boolean {
  return input.messengerAChatId === null && current?.messengerAChatId != null;
}

/** `value` and the type's own member are two names of one address: either may be set, a contradiction is refused. */
function readAddress(
  type: DestinationType,
  { input, current }: DestinationChange,
): string | null | undefined {
  const own = addressMember(type);
  const { address } = destinationKinds[type];
  if (address.type === 'mail' && typeof input.value === 'string') return normalizeMailAddress(input.value);
  if (address.type === 'settings') return undefined;
  if (!own) return input.value;
  const named = input[own];
  const [isValueNew, isNamedNew] = [
    input.value !== undefined && input.value !== current?.value,
    named !== undefined && named !== current?.[own],
  ];
  if (
    input.value !== undefined &&
    named !== undefined &&
    input.value !== named &&
    isValueNew === isNamedNew
  ) {
    throw invalid(
      `/${own}`,
      'contradiction',
      `\`value\` and \`${own}\` are two names of one address and must be the same.`,
    );
  }
  if (isNamedNew) return named;
  return isValueNew ? input.value : (named ?? input.value);
}

function checkAddress(
  call: Call,
  type: DestinationType,
  address: string | null | undefined,
  change: DestinationChange,
): void {
  const own = addressMember(type);
  const member = own && change.input.value === undefined ? own : 'value';
  const before = change.current?.type === type ? change.current.value : undefined;
  const present = address === undefined ? before : address;
  const { address: kindAddress } = destinationKinds[type];
  if (kindAddress.type === 'chat' || kindAddress.type === 'settings') return;
  if (typeof present !== 'string') {
    const words = own ? `\`${own}\` (or \`value\`)` : '`value`';
    throw invalid(
      `/${own ?? 'value'}`,
      'required',
      `A destination of type ${type} needs its address in ${words}.`,
    );
  }
  if (address == null) return;
  if (kindAddress.type === 'mail') {
    if (!isMailAddress(address)) throw invalid('/value', 'format', `${mailAddressWords}.`);
    return;
  }
  const fault = webhookFault(address, change.tenantId, call.services.egress);
  if (fault) throw invalid(`/${member}`, 'address', `${fault}.`);
}
