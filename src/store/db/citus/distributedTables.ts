/**
 * Tables that grow with alerts; a tenant's rows in all of them are on one worker, by the shards of the first table. All
 * others stay on the coordinator.
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
