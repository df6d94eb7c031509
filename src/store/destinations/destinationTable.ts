import { byTenant, id, type Members, status, type Table, times } from '../table.ts';

/** Header values are sealed; a record shows only that they are there. */
const headers = `(select coalesce(json_object_agg(h, '[sealed]'), '{}') from unnest($.header_names) h
  where $.header_names is not null)`;

/** Of an e-mail address alone; nothing else has to be confirmed. */
const confirmed = {
  type: 'boolean',
  as: "(case when t.type = 'EMAIL' then t.confirmed_at is not null end)",
} as const;

function destinationMembers(alias: string): Members {
  return {
    ...id,
    ...times,
    tenantId: { type: 'integer' },
    type: { type: 'string' },
    uid: { type: 'string' },
    tags: { type: 'string[]' },
    value: { type: 'string' },
    messengerABotUsername: { type: 'string' },
    messengerAUserId: { type: 'string' },
    messengerAUsername: { type: 'string' },
    messengerAChatId: { type: 'string' },
    messengerAChatTitle: { type: 'string' },
    messengerAChatType: { type: 'string' },
    messengerBUri: { type: 'string' },
    messengerBChannelId: { type: 'string' },
    messengerBChannelName: { type: 'string' },
    uri: { type: 'string' },
    method: { type: 'string' },
    headers: {
      type: 'json',
      as: `(case when ${alias}.header_names is null then null else ${headers.replaceAll('$', alias)}::jsonb end)`,
    },
  };
}

export const destinationTable: Table = {
  kind: 'destination',
  name: 'destination',
  members: { ...destinationMembers('t'), groupWindowMs: { type: 'integer' }, confirmed, ...status },
  hidden: {
    headerNames: 'string[]',
    sealedHeaders: 'bytes',
    sealedMessengerBUri: 'bytes',
    confirmedAt: 'integer',
  },
  visible: byTenant,
  writable: byTenant,
  unbinds: [
    { table: 'action_destination', column: 'destination_id' },
    { table: 'detector_destination', column: 'destination_id' },
    { table: 'trigger_alert_destination', column: 'destination_id' },
  ],
};

const { type: _type, ...withoutType } = destinationMembers('d');

/** The destination inside a binding `b`: an action's and a trigger alert's leave out `type`, a detector's has it. */
export function boundDestination(binding: string, members: 'with type' | 'without type'): Members {
  return {
    tenantDestination: {
      type: 'one',
      from: `destination d where d.tenant_id = ${binding}.tenant_id and d.id = ${binding}.destination_id`,
      alias: 'd',
      members: members === 'with type' ? destinationMembers('d') : withoutType,
    },
  };
}
