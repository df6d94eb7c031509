import type { Severity } from '../../model/alert.ts';
import type { TimeSet } from '../../query/timeSets/timeSet.ts';

/** A route as the decision needs it. */
export type RouteRule = {
  readonly id: number;
  readonly parent: RouteRule | undefined;
  /** An alert that it took is offered to the next routes of its parent too. */
  readonly goesOn: boolean;
  readonly minSeverity: Severity | null;
  readonly activeTimeSet: TimeSet | undefined;
  readonly muteTimeSet: TimeSet | undefined;
  readonly destinationIds: readonly number[];
  /** The chain that it runs. */
  readonly escalationChainId?: number | null;
};
