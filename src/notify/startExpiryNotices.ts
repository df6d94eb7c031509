import type { Logger } from 'pino';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { startPoller } from '../lib/startPoller.ts';
import type { Keyring } from '../model/keyring.ts';
import type { Db, Store } from '../store/db/db.ts';
import {
  type DueNotice,
  findDefaultDestinations,
  findDueNotices,
  findManagerAddresses,
  notifyWatchers,
  recordNotices,
} from '../store/destinations/expiryNotices.ts';
import { insertDeliveries } from '../store/destinations/insertDeliveries.ts';
import { insertMail } from '../store/destinations/mailOutbox.ts';
import { subscriptionGraceMs } from '../store/tables/isLive.ts';

type Options = {
  store: Store;
  keyring: Keyring;
  /** True if a mail server is configured; managers get a mail then. */
  mail: boolean;
  now: () => number;
  log: Logger;
};

const dayMs = 24 * 3_600_000;

/**
 * Notifies tenants that their subscription ends, each notice once. It polls for notices that are due and not sent, so that
 * neither a downtime nor a clock change makes it miss one.
 */
export function startExpiryNotices(options: Options, everyMs = 10 * 60_000): Stoppable {
  const poller = startPoller(() => sendDueNotices(options), {
    everyMs,
    onError: (error) => options.log.warn({ err: error }, 'Failed to send expiry notices; will retry'),
  });
  poller.wake();
  return poller;
}

export async function sendDueNotices(options: Options): Promise<void> {
  const now = options.now();
  for (const due of await findDueNotices(options.store, now)) {
    await options.store.transaction(async (tx) => {
      if (await recordNotices(tx, due, now)) await sendNotice(tx, options, due, now);
    });
  }
}

/** Several notices that are due at once, as after a downtime, become one. */
async function sendNotice(tx: Db, { keyring, mail }: Options, due: DueNotice, now: number): Promise<void> {
  const { tenantId } = due;
  const data = toData(due, now);
  if (data.state === 'STOPPED') await notifyWatchers(tx, tenantId);
  const destinationIds = await findDefaultDestinations(tx, tenantId);
  if (destinationIds.length > 0)
    await insertDeliveries(tx, [{ tenantId, type: 'subscription.expiring', data, destinationIds }], now);
  if (!mail) return;
  for (const to of await findManagerAddresses(tx, tenantId))
    await insertMail(tx, keyring, { kind: 'subscription', tenantId, to, data }, now);
}

function toData(due: DueNotice, now: number) {
  const remainingMs = due.expirationDate - now;
  return {
    subscriptionId: due.subscriptionId,
    tenant: { id: due.tenantId, name: due.tenantName },
    plan: { name: due.planName },
    expirationDate: due.expirationDate,
    watchingUntil: due.expirationDate + subscriptionGraceMs,
    daysLeft: Math.max(0, Math.ceil(remainingMs / dayMs)),
    state: remainingMs > 0 ? 'EXPIRING' : remainingMs > -subscriptionGraceMs ? 'EXPIRED' : 'STOPPED',
  };
}
