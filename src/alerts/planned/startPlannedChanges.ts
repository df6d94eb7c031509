import type { Stoppable } from '../../lib/createLifecycle.ts';
import { startPoller } from '../../lib/startPoller.ts';
import type { Finding } from '../../model/alert.ts';
import {
  type DuePlannedChange,
  findDuePlannedChanges,
  lockDuePlannedChange,
  settlePlannedChange,
} from '../../store/alerts/plannedChanges.ts';
import type { Store } from '../../store/db/db.ts';
import { type AlertHook, prepareRaise, raiseAlerts } from '../raiseAlerts.ts';

type Options = {
  store: Store;
  alertHooks: readonly AlertHook[];
  now: () => number;
  onError: (error: unknown) => void;
};

/** Blocks arrive some time after they were made. */
const graceMs = 120_000;

/** Reports planned changes that did not happen, each once, when their windows have ended. */
export function startPlannedChanges(options: Options, everyMs = 15_000): Stoppable {
  return startPoller(() => settleDueChanges(options), { everyMs, onError: options.onError });
}

export async function settleDueChanges(
  { store, alertHooks, now }: Omit<Options, 'onError'>,
  grace = graceMs,
): Promise<void> {
  const faults: unknown[] = [];
  // One of a tenant whose alerts cannot be written delays no other.
  for (const id of await findDuePlannedChanges(store, now(), grace))
    await settleDueChange({ store, alertHooks, now }, id).catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw faults[0];
}

async function settleDueChange(
  { store, alertHooks, now }: Omit<Options, 'onError'>,
  id: number,
): Promise<void> {
  const due = await store.transaction((tx) => lockDuePlannedChange(tx, id));
  if (!due) return;
  // Outside the transaction, because all share partitions and indexes.
  await prepareRaise(store, [toFinding(due)]);
  await store.transaction(async (tx) => {
    const change = await lockDuePlannedChange(tx, id);
    if (!change) return;
    const isMissed = missingOf(change).length > 0;
    if (isMissed) await raiseAlerts(tx, [toFinding(change)], alertHooks);
    await settlePlannedChange(tx, id, isMissed ? 'MISSED' : 'HAPPENED', now());
  });
}

function missingOf({ expected, happened }: DuePlannedChange): string[] {
  return expected.flatMap(({ kind }, index) => (happened.includes(index) ? [] : [kind]));
}

/** The same key and time each time, so that it is raised once. */
function toFinding(change: DuePlannedChange): Finding {
  const { id, tenantId, projectId, contractId, chainUid, contractName, name, to } = change;
  const missing = missingOf(change);
  return {
    tenantId,
    projectId,
    contractId,
    chainUid,
    kind: 'detector',
    group: 'SECURITY',
    severity: 'MEDIUM',
    timestamp: to,
    key: `planned change ${id} missed`,
    eid: `planned-change-${id}-missed`,
    name: 'Planned change did not happen',
    message: `The planned change ${name} of ${contractName} did not happen within its window: no alert of ${missing.join(', ')} matched.`,
    meta: { plannedChange: { id, name, isMissed: true }, missing },
    tags: ['vigil'],
    nextStep: 'Ask who planned it whether it was called off, and plan it again if it is late.',
  };
}
