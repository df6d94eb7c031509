import type { routeGroups } from '../../store/tables/routeTable.ts';

/** Facts of an alert that decide its group. */
export type GroupedAlert = {
  uid: string;
  contractId: number;
  incidentUid?: string | null | undefined;
  kind: string;
  detectorSchemaName?: string | null | undefined;
  triggerType?: string | null | undefined;
};

/** The group of an alert at a route: alerts with the same key come and are repeated together. */
export function groupKeyOf(groupBy: (typeof routeGroups)[number], alert: GroupedAlert): string {
  switch (groupBy) {
    case 'INCIDENT':
      return `incident ${alert.incidentUid ?? alert.uid}`;
    case 'CONTRACT':
      return `contract ${alert.contractId}`;
    case 'KIND':
      return `kind ${alert.kind} ${alert.detectorSchemaName ?? alert.triggerType ?? ''}`;
    case 'NONE':
      return `alert ${alert.uid}`;
  }
}
