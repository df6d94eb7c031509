import { termHash } from '../../src/query/termHash.ts';
import { type AlertWorld, commonWord, middleWord } from './seedAlerts.ts';

/** One question, asked of Vigil over HTTP and of PostgreSQL in the best SQL for just this question. */
export type SearchCase = { name: string; path: string; body: unknown; sql: string; values: unknown[] };

/** All that an alert has, as the answers of Vigil have it. */
const height = (column: string) =>
  `((select jsonb_object_agg(chain_uid, ${column}) from chain_cursor) ->> t.chain_uid)::bigint`;
const txHash = `coalesce(t.tx_hash, '0x' || encode(t.tx_hash_bytes, 'hex'))`;
const columns = `t.uid::text as uid, t.kind, t.alert_group as "group", t.timestamp, t.eid, ${txHash} as "txHash",
  t.chain_uid as "chainUid", t.block_number as "blockNumber", t.block_hash as "blockHash", t.tenant_id as "tenantId",
  t.project_id as "projectId", t.contract_id as "contractId", t.detector_id as "detectorId", t.trigger_id as "triggerId",
  t.action_id as "actionId", t.wallet_id as "walletId", t.wallet_name as "walletName", t.wallet_chain_uid as "walletChainUid",
  t.wallet_address as "walletAddress", t.interceptor_type as "interceptorType", t.trigger_type as "triggerType",
  case t.numeric_severity when 10 then 'INFO' when 30 then 'LOW' when 50 then 'MEDIUM' when 70 then 'HIGH' else 'CRITICAL' end
    as severity, t.numeric_severity as "numericSeverity", t.name, t.message, t.meta,
  case when t.is_resolved then 'RESOLVED' else 'UNRESOLVED' end as status,
  case when t.block_number <= ${height('final')} then 'FINAL' when t.block_number <= ${height('confirmed')} then 'CONFIRMED'
    else 'HEAD' end as finality, t.tags, t.suppressed, t.retracted_at as "retractedAt"`;
const dayMs = 86_400_000;

/** Words of a message with a space around each, as far as the texts of this benchmark need it. */
const words = "(' ' || lower(t.message) || ' ')";

/** What a word without a field is looked for in, as the index and as the row have it. */
const searchedFields =
  'eid txHash chainUid blockHash walletChainUid walletAddress tags name message walletName meta'.split(' ');
const everyText = `concat_ws(' ', t.eid, ${txHash}, t.chain_uid, t.block_hash, t.wallet_chain_uid, t.wallet_address, t.tags, t.name,
  t.message, t.wallet_name, t.meta)`;

export function createSearchCases(world: AlertWorld): SearchCase[] {
  const { hot, rare, end } = world;
  const hash = (column: string, term: string) => [termHash(hot.tenantId, column, term)];
  const detector = (id: number) => `contract/${id}/detector/alert/search`;
  const ofContract = `t.tenant_id = $1 and t.contract_id = $2 and t.kind = 'detector' and t.retracted_at is null`;
  const newest = `order by t.timestamp desc, t.uid limit 10`;
  const hotValues = [hot.tenantId, hot.contractId];
  const page = (query: string, condition: string, values: unknown[], name: string): SearchCase => ({
    name,
    path: detector(hot.contractId),
    body: { query, trackTotalCount: 0 },
    sql: `select ${columns} from alert t where ${ofContract} and ${condition} ${newest}`,
    values: [...hotValues, ...values],
  });
  return [
    {
      name: 'newest 10 alerts of a hot contract',
      path: detector(hot.contractId),
      body: { trackTotalCount: 0 },
      sql: `select ${columns} from alert t where ${ofContract} ${newest}`,
      values: hotValues,
    },
    {
      name: 'newest 10 alerts of a rare contract',
      path: detector(rare.contractId),
      body: { trackTotalCount: 0 },
      sql: `select ${columns} from alert t where ${ofContract} ${newest}`,
      values: [rare.tenantId, rare.contractId],
    },
    {
      name: 'page at offset 5,000',
      path: detector(hot.contractId),
      body: { from: 5000, trackTotalCount: 0 },
      sql: `select ${columns} from alert t where ${ofContract} order by t.timestamp desc, t.uid limit 10 offset 5000`,
      values: hotValues,
    },
    {
      name: 'sorted by another field',
      path: detector(hot.contractId),
      body: { sort: [{ field: 'numericSeverity', order: 'desc' }], trackTotalCount: 0 },
      sql: `select ${columns} from alert t where ${ofContract} order by t.numeric_severity desc, t.timestamp desc, t.uid limit 10`,
      values: hotValues,
    },
    page(`message:${commonWord}`, `${words} like $3`, [`% ${commonWord} %`], 'common word'),
    page(
      `message:${middleWord}`,
      `t.terms && $3::int4[] and ${words} like $4`,
      [hash('message', middleWord), `% ${middleWord} %`],
      'rarer word',
    ),
    page(
      'message:zyzzyva',
      `t.terms && $3::int4[] and ${words} like $4`,
      [hash('message', 'zyzzyva'), '% zyzzyva %'],
      'very rare word',
    ),
    page(
      `message:"${commonWord} ${middleWord}"`,
      `t.terms && $3::int4[] and ${words} like $4`,
      [hash('message', middleWord), `% ${commonWord} ${middleWord} %`],
      'phrase',
    ),
    page(
      `message:${commonWord.slice(0, 3)}*zu`,
      `t.message ~ $3`,
      [`(^| )${commonWord.slice(0, 3)}[^ ]*zu( |$)`],
      'wildcard',
    ),
    page(
      `message:/${commonWord}.*zu/`,
      `t.message ~ $3`,
      [`(^| )${commonWord}[^ ]*zu( |$)`],
      'regular expression',
    ),
    page(
      'meta.token:usdc AND severity:CRITICAL',
      `t.meta ->> 'token' = 'USDC' and t.numeric_severity = 90`,
      [],
      'meta term',
    ),
    page(
      'meta.amount:[9999 TO 10000]',
      `(t.meta ->> 'amount')::float8 between 9999 and 10000`,
      [],
      'meta range',
    ),
    page('meta.amount:>9999', `(t.meta ->> 'amount')::numeric > 9999`, [], 'amount above'),
    page(
      'zyzzyva',
      `t.terms && $3::int4[] and lower(${everyText}) ~ $4`,
      [searchedFields.flatMap((field) => hash(field, 'zyzzyva')), '\\mzyzzyva\\M'],
      'word in any field',
    ),
    {
      name: 'exact total of a word',
      path: detector(hot.contractId),
      body: { query: `message:${middleWord}`, size: 0, trackTotalCount: 1_000_000_000 },
      sql: `select count(*) from alert t where ${ofContract} and t.terms && $3::int4[] and ${words} like $4`,
      values: [...hotValues, hash('message', middleWord), `% ${middleWord} %`],
    },
    {
      name: 'exact total of a hot contract',
      path: detector(hot.contractId),
      body: { size: 0, trackTotalCount: 1_000_000_000 },
      sql: `select count(*) from alert t where ${ofContract}`,
      values: hotValues,
    },
    ...[90, 365].map(
      (days): SearchCase => ({
        name: `terms with sub-aggregation of the hot tenant, ${days} days`,
        path: 'alert/aggregation',
        body: {
          aggregation: [
            { name: 'severities', field: 'severity', aggregation: [{ name: 'kinds', field: 'kind' }] },
          ],
          timeseries: [{ from: end - days * dayMs, to: end }],
          query: `tenantId:${hot.tenantId}`,
          trackTotalCount: 0,
        },
        sql: `select numeric_severity, kind, count(*) from alert t
          where t.tenant_id = $1 and t.timestamp between $2 and $3 and t.retracted_at is null group by 1, 2`,
        values: [hot.tenantId, end - days * dayMs, end],
      }),
    ),
    {
      name: 'histogram 1d over 12 months of a contract',
      path: `contract/${hot.contractId}/histogram`,
      body: { from: end - 365 * dayMs, to: end, interval: '1d' },
      sql: `select timestamp / ${dayMs} * ${dayMs} as ts, alert_group, count(*), max(numeric_severity) from alert t
        where t.tenant_id = $1 and t.contract_id = $2 and t.timestamp between $3 and $4 and t.retracted_at is null group by 1, 2`,
      values: [...hotValues, end - 365 * dayMs, end],
    },
    {
      name: 'the same with a query',
      path: `contract/${hot.contractId}/histogram`,
      body: { from: end - 365 * dayMs, to: end, interval: '1d', query: 'severity:CRITICAL' },
      sql: `select timestamp / ${dayMs} * ${dayMs} as ts, alert_group, count(*), max(numeric_severity) from alert t
        where t.tenant_id = $1 and t.contract_id = $2 and t.timestamp between $3 and $4 and t.retracted_at is null
          and t.numeric_severity = 90 group by 1, 2`,
      values: [...hotValues, end - 365 * dayMs, end],
    },
    {
      name: 'usage 1d over 12 months of a tenant',
      path: `tenant/${hot.tenantId}/dashboard/usage`,
      body: { from: end - 365 * dayMs, to: end, interval: '1d' },
      sql: `select timestamp / ${dayMs} * ${dayMs} as ts, kind, numeric_severity, count(*) from alert t
        where t.tenant_id = $1 and t.timestamp between $2 and $3 and t.retracted_at is null group by 1, 2, 3`,
      values: [hot.tenantId, end - 365 * dayMs, end],
    },
    {
      name: 'page of 10,000 records',
      path: detector(hot.contractId),
      body: { size: 10_000, trackTotalCount: 0 },
      sql: `select ${columns} from alert t where ${ofContract} order by t.timestamp desc, t.uid limit 10000`,
      values: hotValues,
    },
    {
      name: 'telemetry of 24 hours',
      path: 'tenant/telemetry',
      body: { metric: 'api_requests', start: '-1d', step: '1h' },
      sql: 'select minute / 3600000, sum(value) from metric_sample where tenant_id = $1 and metric = $2 group by 1',
      values: [hot.tenantId, 'api_requests'],
    },
  ];
}
