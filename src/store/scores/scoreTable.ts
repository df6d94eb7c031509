import { raw } from '../../lib/sql.ts';
import { severityOf } from '../../model/alert.ts';
import { severitySql } from '../search/documents/alertTable.ts';
import { defineDocumentTable } from '../search/documents/documentTable.ts';

const number = (column: string) => ({ sql: raw(`t.${column}`), store: 'number', type: 'long' }) as const;
const double = (column: string) => ({ sql: raw(`t.${column}`), store: 'number', type: 'double' }) as const;
const keyword = (column: string) => ({ sql: raw(`t.${column}`), store: 'text', type: 'keyword' }) as const;
const text = (column: string) =>
  ({ sql: raw(`t.${column}`), store: 'text', type: 'text', hashed: 'words' }) as const;

/** Score changes as documents: the members of docs/api-spec.md, Score changes. */
export const scoreTable = defineDocumentTable('score_change', {
  uid: { sql: raw('t.uid::text'), store: 'text', type: 'keyword' },
  index: keyword('index'),
  timestamp: { sql: raw('t.timestamp'), store: 'number', type: 'date' },
  i: number('i'),
  type: keyword('type'),
  organisationId: number('organisation_id'),
  licenseId: number('license_id'),
  licenseInstanceId: number('license_instance_id'),
  tenantId: number('tenant_id'),
  projectId: number('project_id'),
  contractId: number('contract_id'),
  txHash: { sql: raw('t.tx_hash'), store: 'text', type: 'foldedKeyword', hashed: 'whole' },
  detectorSchemaName: keyword('detector_schema_name'),
  alertId: keyword('alert_id'),
  monitorId: keyword('monitor_id'),
  alertName: text('alert_name'),
  alertMessage: text('alert_message'),
  numericSeverity: number('numeric_severity'),
  severity: {
    sql: severitySql('t.numeric_severity'),
    store: 'text',
    type: 'keyword',
    isPossible: (value) => Object.keys(severityOf).includes(value),
  },
  tags: { sql: raw('t.tags'), store: 'text[]', type: 'keyword', hashed: 'whole' },
  meta: { sql: raw('t.meta'), store: 'json', type: 'dynamic', hashed: 'words' },
  scoreGroup: keyword('score_group'),
  score: double('score'),
  scoreChange: double('score_change'),
  key: keyword('key'),
  value: double('value'),
});
