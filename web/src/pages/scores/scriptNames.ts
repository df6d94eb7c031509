/** What the scripts of a license see, for completion. */
export const scoreTextNames = [
  { name: 'e.severity', detail: 'alert' },
  { name: 'e.numericSeverity', detail: 'alert' },
  { name: 'e.name', detail: 'alert' },
  { name: 'e.type', detail: 'alert, or tick' },
  { name: 'e.timestamp', detail: 'alert' },
  { name: 'e.meta', detail: 'evidence' },
  { name: 'e.tags', detail: 'alert' },
  { name: 'l', detail: 'params' },
  { name: 's', detail: 'present scores by group' },
  { name: 'group', detail: 'the score group' },
  { name: 'score', detail: 'its present score' },
];
