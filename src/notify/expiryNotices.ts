import type { Logger } from 'pino';
import type { Db, Store } from '../store/db.ts';
import {
  type DueNotice,
  findDefaultDestinations,
  findDueNotices,
  findManagerAddresses,
  graceMs,
  noteNotices,
  wakeWatchers,
} from '../store/destinations/expiryNotices.ts';
import { insertDeliveries } from '../store/destinations/insertDeliveries.ts';
import { insertMail } from '../store/destinations/mailOutbox.ts';
import type { Keyring } from '../store/keyring.ts';

type Options = {
  store: Store;
  keyring: Keyring;
  /** Whether there is a mail server to write to managers through. */
  mail: boolean;
  now: () => number;
  log: Logger;
};

const dayMs = 24 * 3_600_000;

/**
 * Tells tenants that their subscription ends, each notice once. It looks at what is due and untold instead of waiting for
 * a moment, so neither a stop nor a clock that is set makes it miss one.
 */
export function startExpiryNotices(options: Options, everyMs = 10 * 60_000): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const look = () => {
    running = running.then(() =>
      giveDueNotices(options).catch((error: unknown) =>
        options.log.warn({ err: error }, 'Notices of expiring subscriptions were not given; they are soon'),
      ),
    );
  };
  look();
  const timer = setInterval(look, everyMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** All that is due now. */
export async function giveDueNotices(options: Options): Promise<void> {
  const now = options.now();
  for (const due of await findDueNotices(options.store, now)) {
    await options.store.transaction(async (tx) => {
      if (await noteNotices(tx, due, now)) await tell(tx, options, due, now);
    });
  }
}

/** When several are due at once, as after a stop, they are one. */
async function tell(tx: Db, { keyring, mail }: Options, due: DueNotice, now: number): Promise<void> {
  const { tenantId } = due;
  const data = toData(due, now);
  if (data.state === 'STOPPED') await wakeWatchers(tx, tenantId);
  const destinationIds = await findDefaultDestinations(tx, tenantId);
  if (destinationIds.length > 0)
    await insertDeliveries(tx, [{ tenantId, type: 'subscription.expiring', data, destinationIds }], now);
  if (!mail) return;
  for (const to of await findManagerAddresses(tx, tenantId))
    await insertMail(tx, keyring, { kind: 'subscription', tenantId, to, data }, now);
}

function toData(due: DueNotice, now: number) {
  const left = due.expirationDate - now;
  return {
    subscriptionId: due.subscriptionId,
    tenant: { id: due.tenantId, name: due.tenantName },
    plan: { name: due.planName },
    expirationDate: due.expirationDate,
    watchingUntil: due.expirationDate + graceMs,
    daysLeft: Math.max(0, Math.ceil(left / dayMs)),
    state: left > 0 ? 'EXPIRING' : left > -graceMs ? 'EXPIRED' : 'STOPPED',
  };
}
