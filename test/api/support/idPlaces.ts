import type { Json } from '../../../testing/startTestApi.ts';
import type { World } from '../../support/createWorld.ts';
import { type Node, typesOf } from './schemas.ts';

export type Place = { path: readonly (string | number)[]; name: string; isReadOnly: boolean };

/** Every member of a body that holds the id of a record, as far as the body reaches into the schema. */
export function idPlaces(node: Node, value: unknown, path: Place['path'] = [], isReadOnly = false): Place[] {
  if (Array.isArray(value)) {
    return node.items && value.length > 0 ? idPlaces(node.items, value[0], [...path, 0], isReadOnly) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(node.properties ?? {}).flatMap(([name, member]) => {
    const below = [...path, name];
    const isFixed = isReadOnly || member.readOnly === true;
    // The id of a chain is no record's.
    if (typesOf(member).includes('integer') && /^id$|Id$/.test(name) && name !== 'chainId') {
      return [{ path: below, name, isReadOnly: isFixed }];
    }
    return idPlaces(member, (value as Json)[name], below, isFixed);
  });
}

/** A copy of the body with another value at the place. */
export function withValue(body: Json, path: Place['path'], value: unknown): Json {
  const copy = structuredClone(body);
  let holder: Json = copy;
  for (const step of path.slice(0, -1)) holder = holder[step];
  holder[path.at(-1)!] = value;
  return copy;
}

export function valueAt(body: Json, path: Place['path']): unknown {
  let value: unknown = body;
  for (const step of path) value = (value as Json | undefined)?.[step];
  return value;
}

/** The id of the other world's record that a member of this name would point at. */
export function foreignId(foreign: World, name: string): number {
  const records: Record<string, Json> = {
    tenantId: foreign.tenant,
    organisationId: foreign.organisation,
    projectId: foreign.project,
    contractId: foreign.contract,
    walletId: foreign.wallet,
    licenseId: foreign.license,
    licenseInstanceId: foreign.instance,
    timeSetId: foreign.timeset,
    scheduleId: foreign.schedule,
    escalationChainId: foreign.escalationchain,
    destinationId: foreign.destination,
    activeTimeSetId: foreign.timeset,
    muteTimeSetId: foreign.timeset,
    parentId: foreign.route,
    destinationIds: foreign.destination,
    categoryId: foreign.tokenomicsCategory,
    tenantDestinationId: foreign.destination,
    detectorId: foreign.detector,
    actionId: foreign.action,
    triggerAlertId: foreign.trigger.alerts[0],
    userId: foreign.user,
    assigneeId: foreign.user,
    ownerId: foreign.user,
    authorId: foreign.user,
    schemaId: foreign.detectorSchema,
    planId: foreign.plan,
  };
  const record = records[name];
  if (!record) throw new Error(`The test does not know what ${name} points at; tell it here.`);
  return record.id;
}
