/** Every table by which something fires an action, the kind of what fires it, and the column that names it. */
export const firingTables = [
  { table: 'action_detector', kind: 'detector', column: 'detector_id' },
  { table: 'action_trigger_alert', kind: 'trigger alert', column: 'trigger_alert_id' },
] as const;
