export const severities = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type SeverityName = (typeof severities)[number];

export function Severity({ value }: { value: string }) {
  return <span class={`badge ${value.toLowerCase()}`}>{value}</span>;
}
