import { raw, sql } from '../../../lib/sql.ts';
import { uidTime } from '../../../lib/uid.ts';
import { alertGroups, alertKinds, finalities, retractionReasons, severityOf } from '../../../model/alert.ts';
import { interceptorTypes, triggerTypes } from '../../../model/enumerations.ts';
import { chainHeights } from '../../db/citus/bindCoordinators.ts';
import { defineDocumentTable } from './documentTable.ts';
import { incidentUidSql } from './incidentUidSql.ts';
import { blockHashJson, blockHashSql, eidSql, txHashJson, txHashSql } from './packedHashes.ts';

const severityCases = Object.entries(severityOf).map(([name, number]) => `when ${number} then '${name}'`);
export const severityExpression = (column: string) => `case ${column} ${severityCases.join(' ')} end`;
export const severitySql = (column: string) => raw(severityExpression(column));

const statusSql = raw(
  "case when t.retracted_at is not null then 'RETRACTED' when t.is_resolved then 'RESOLVED' else 'UNRESOLVED' end",
);

/** A snooze ends by the clock alone. */
export const acknowledgedExpression = (alias: string) =>
  `(${alias}.acknowledged_at is not null and (${alias}.acknowledged_until is null
    or ${alias}.acknowledged_until > extract(epoch from now()) * 1000))`;

const height = (column: 'final' | 'confirmed') => `(${chainHeights(column)} ->> t.chain_uid)::bigint`;

/** Derived from the heights of the chain, so no row is rewritten as blocks age. */
const finalitySql = raw(`case when t.is_pending then 'PENDING'
  when t.block_number is null or t.block_number <= ${height('final')} then 'FINAL'
  when t.block_number <= ${height('confirmed')} then 'CONFIRMED' else 'HEAD' end`);

const oneOf = (values: readonly string[]) => ({
  values,
  isPossible: (value: string) => values.includes(value),
});
const number = (column: string) => ({ sql: raw(`t.${column}`), store: 'number', type: 'long' }) as const;
const keyword = (column: string, values?: readonly string[]) =>
  ({
    sql: raw(`t.${column}`),
    store: 'text',
    type: 'keyword',
    ...(values ? oneOf(values) : {}),
  }) as const;
const boolean = (column: string) =>
  ({ sql: raw(`t.${column}`), store: 'boolean', type: 'boolean', hashed: 'whole' }) as const;
const text = (column: string) =>
  ({ sql: raw(`t.${column}`), store: 'text', type: 'text', hashed: 'words' }) as const;

/** Members that most alerts lack. */
const isRare = true;
/** Members that all alerts have. */
const isRequired = true;
const inUids = /^[0-9a-f-]*$/;
const severities = new Map(Object.entries(severityOf));

/** Alerts as documents: members of action and trigger alerts (docs/api-spec.md) and those beyond. */
export const alertTable = defineDocumentTable(
  'alert',
  {
    uid: {
      sql: raw('t.uid::text'),
      store: 'text',
      type: 'keyword',
      isPossible: (value) => uidTime(value) !== undefined,
      characters: inUids,
      isRequired,
      find: (values) => sql`t.timestamp = any(${values.map(uidTime)}::bigint[])`,
    },
    kind: { ...keyword('kind', alertKinds), isRequired },
    group: { ...keyword('alert_group', alertGroups), isRequired },
    timestamp: { sql: raw('t.timestamp'), store: 'number', type: 'date', indexed: 'with tenant', isRequired },
    tenantId: { ...number('tenant_id'), isRequired },
    projectId: { ...number('project_id'), hashed: 'whole', isRequired },
    contractId: { ...number('contract_id'), indexed: 'with tenant', isRequired },
    incidentUid: {
      sql: sql`${incidentUidSql}::text`,
      store: 'text',
      type: 'keyword',
      hashed: 'whole',
      // An alert that began its incident has the uid of that.
      findUnhashed: (values) => {
        const times = values.flatMap((value) => uidTime(value) ?? []);
        return times.length > 0 ? sql`t.timestamp = any(${times}::bigint[])` : undefined;
      },
      characters: inUids,
    },
    detectorId: { ...number('detector_id'), hashed: 'whole' },
    detectorSchemaName: { ...keyword('detector_schema_name'), hashed: 'whole' },
    triggerId: { ...number('trigger_id'), hashed: 'whole', isRare },
    actionId: { ...number('action_id'), hashed: 'whole', isRare },
    walletId: { ...number('wallet_id'), hashed: 'whole', isRare },
    assigneeId: { ...number('assignee_id'), indexed: 'with tenant', isRare },
    acknowledged: {
      sql: raw(acknowledgedExpression('t')),
      store: 'boolean',
      type: 'boolean',
      isRequired,
    },
    acknowledgedAt: { sql: raw('t.acknowledged_at'), store: 'number', type: 'date', isRare },
    acknowledgedBy: { ...keyword('acknowledged_by'), isRare },
    acknowledgedById: { ...number('acknowledged_by_id'), isRare },
    acknowledgedUntil: { sql: raw('t.acknowledged_until'), store: 'number', type: 'date', isRare },
    numericSeverity: {
      ...number('numeric_severity'),
      stands: { for: 'severity', of: severities },
      isRequired,
    },
    severity: {
      sql: severitySql('t.numeric_severity'),
      store: 'text',
      type: 'keyword',
      hashed: 'whole',
      codes: { sql: raw('t.numeric_severity'), of: severities },
      ...oneOf(Object.keys(severityOf)),
      isRequired,
    },
    status: {
      sql: statusSql,
      store: 'text',
      type: 'keyword',
      ...oneOf(['UNRESOLVED', 'RESOLVED', 'RETRACTED']),
      isRequired,
    },
    finality: {
      sql: finalitySql,
      store: 'text',
      type: 'keyword',
      ...oneOf(finalities),
      isRequired,
    },
    eid: { sql: eidSql, store: 'text', type: 'keyword', hashed: 'whole' },
    txHash: { sql: txHashSql, json: txHashJson, store: 'text', type: 'foldedKeyword', hashed: 'whole' },
    chainUid: { ...keyword('chain_uid'), hashed: 'whole', characters: /^[a-z_]*$/ },
    blockNumber: { ...number('block_number'), indexed: 'alone' },
    blockHash: {
      sql: blockHashSql,
      json: blockHashJson,
      store: 'text',
      type: 'foldedKeyword',
      hashed: 'whole',
    },
    name: { ...text('name'), isRequired },
    message: { ...text('message'), isRequired },
    interceptorType: { ...keyword('interceptor_type', interceptorTypes), isRare },
    triggerType: { ...keyword('trigger_type', Object.keys(triggerTypes)), isRare },
    walletName: { ...text('wallet_name'), isRare },
    walletChainUid: { ...keyword('wallet_chain_uid'), hashed: 'whole', isRare },
    walletAddress: {
      sql: raw('t.wallet_address'),
      store: 'text',
      type: 'foldedKeyword',
      hashed: 'whole',
      isRare,
    },
    tags: { sql: raw('t.tags'), store: 'text[]', type: 'keyword', hashed: 'whole', isRequired },
    suppressed: { ...boolean('suppressed'), isRequired },
    backfilled: { ...boolean('backfilled'), isRequired },
    retractedAt: { sql: raw('t.retracted_at'), store: 'number', type: 'date', isRare },
    retractionReason: { ...keyword('retraction_reason', retractionReasons), isRare },
    meta: { sql: raw('t.meta'), store: 'json', type: 'dynamic', hashed: 'words', isRequired },
  },
  { condition: sql`t.retracted_at is null`, unless: ['status', 'retractedAt'] },
  {
    mayBeLong: [
      'name',
      'message',
      'eid',
      'meta',
      'tags',
      'terms',
      'odd_words',
      'wallet_name',
      'detector_schema_name',
    ],
    changing: [
      'tags',
      'status',
      'finality',
      'assigneeId',
      'incidentUid',
      'retractedAt',
      'retractionReason',
      'acknowledged',
      'acknowledgedAt',
      'acknowledgedBy',
      'acknowledgedById',
      'acknowledgedUntil',
    ],
  },
);
