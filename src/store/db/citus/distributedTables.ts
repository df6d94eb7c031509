/**
 * What grows with alerts; a tenant's rows of all of them are on the same worker. Everything else stays on the coordinator: the
 * first one sets the shards of the others.
 */
export const distributedTables = [
  'alert',
  'alert_rollup',
  'incident',
  'external_finding',
  'score_change',
  'delivery_archive',
  'alert_word',
  'alert_word_field',
] as const;

export type DistributedTable = (typeof distributedTables)[number];
