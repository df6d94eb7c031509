import type { Logger } from 'pino';
import type { Transport } from '../destinations/destinationKind.ts';
import { destinationKinds } from '../destinations/destinationKinds.ts';
import type { HostQueues } from '../lib/createHostQueues.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import { destinationTypes } from '../model/enumerations.ts';
import type { Keyring } from '../model/keyring.ts';
import type { MetricRecorder } from '../model/metrics.ts';
import { createSeriesCache, platformTenant } from '../model/metrics.ts';
import type { AddActionLinks, AlertLinks } from '../model/notification.ts';
import { createBot } from '../notify/createBot.ts';
import { createDecideLater } from '../notify/createDecideLater.ts';
import { createEmailSender } from '../notify/createEmailSender.ts';
import { createKafkaSender } from '../notify/createKafkaSender.ts';
import { createMessengerASender } from '../notify/createMessengerASender.ts';
import { createNotifier, type Notifier, type Sender } from '../notify/createNotifier.ts';
import { createRequestSender } from '../notify/createRequestSender.ts';
import { createStreamSender } from '../notify/createStreamSender.ts';
import { startRepeats } from '../notify/routes/startRepeats.ts';
import { startDeciding } from '../notify/startDeciding.ts';
import { startDeliveryWorker } from '../notify/startDeliveryWorker.ts';
import { startExpiryNotices } from '../notify/startExpiryNotices.ts';
import { startHeldDeliveries } from '../notify/startHeldDeliveries.ts';
import { startMailOutbox } from '../notify/startMailOutbox.ts';
import { startMessengerABinding } from '../notify/startMessengerABinding.ts';
import type { Store } from '../store/db/db.ts';
import type { Config } from './config/loadConfig.ts';

type StartOptions = {
  store: Store;
  keyring: Keyring;
  recorder: MetricRecorder;
  /** Calls back when there may be something to send. */
  listen: (onNotify: () => void) => () => Promise<void>;
  addLinks: AddActionLinks;
  links: AlertLinks;
  now: () => number;
  log: Logger;
};

export type Notifying = {
  notifier: Notifier;
  /** True if mail can be sent at all. */
  hasMail: boolean;
  /** Sends due deliveries and mails, binds messenger chats, and sends expiry notices. */
  start(options: StartOptions): Stoppable;
  close(): Promise<void>;
};

/** Opens every configured way to notify people. */
export async function openNotifying(
  { egress, smtpUrl, mailFrom, messengerA }: Config,
  hosts: HostQueues,
  now: () => number,
): Promise<Notifying> {
  const mailer = smtpUrl && (await loadMailer())({ url: smtpUrl, from: mailFrom });
  const bot =
    messengerA.url && messengerA.token
      ? createBot({ url: messengerA.url, token: messengerA.token })
      : undefined;
  const notifier = createNotifier(
    byType({
      request: createRequestSender({ egress, hosts, now }),
      stream: createStreamSender({ egress, hosts }),
      kafka: createKafkaSender({ egress, hosts, now }),
      mail: mailer && createEmailSender(mailer),
      bot: bot && createMessengerASender(bot),
    }),
  );

  return {
    notifier,
    hasMail: mailer !== undefined,
    start({ store, keyring, recorder, listen, addLinks, links, log }) {
      const loops = [
        startDeliveryWorker({
          store,
          keyring,
          notifier,
          listen,
          addLinks,
          onDelivered: countDeliveries(recorder),
          now,
          random: Math.random,
          onError: throttlePerMinute(now, (error) =>
            log.error({ err: error }, 'Sending messages or writing their outcome failed; retrying'),
          ),
        }),
        startHeldDeliveries({
          store,
          now,
          onError: throttlePerMinute(now, (error) =>
            log.error({ err: error }, 'Releasing messages that waited for confirmations failed; retrying'),
          ),
        }),
        startDeciding({
          store,
          decide: createDecideLater({ links, now }),
          now,
          onError: throttlePerMinute(now, (error) =>
            log.error({ err: error }, 'Deciding alerts beside the chain failed; retrying'),
          ),
        }),
        startRepeats({
          store,
          links,
          now,
          onError: throttlePerMinute(now, (error) =>
            log.error({ err: error }, 'Repeating alerts that no one has answered failed; retrying'),
          ),
        }),
        startExpiryNotices({ store, keyring, mail: mailer !== undefined, now, log }),
        ...(mailer ? [startMailOutbox({ store, keyring, mailer, now, log })] : []),
        ...(bot ? [startMessengerABinding({ store, keys: keyring.audit, bot, now, log })] : []),
      ];
      return {
        stop: async () => {
          await Promise.all(loops.map((loop) => loop.stop()));
        },
      };
    },
    close: async () => {
      await Promise.all([notifier.close(), mailer?.close(), bot?.close()]);
    },
  };
}

/** The sender of each type; a transport without an entry does not compile, and an undefined one is not set up. */
function byType(senders: Record<Transport, Sender | undefined>) {
  return Object.fromEntries(
    destinationTypes.flatMap((type) => {
      const sender = senders[destinationKinds[type].transport];
      return sender ? [[type, sender]] : [];
    }),
  );
}

/** Counts delivered messages for the tenant and for the platform. */
function countDeliveries(recorder: MetricRecorder): (type: string, tenantId: number) => void {
  const seriesOf = createSeriesCache();
  return (type, tenantId) => {
    const series = seriesOf('deliveries', type);
    recorder.add(series, tenantId, 1);
    recorder.add(series, platformTenant, 1);
  };
}

/** Most installations have no mail server, and need not load what talks to one. */
async function loadMailer() {
  return (await import('../notify/createMailer.ts')).createMailer;
}
