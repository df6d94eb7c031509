import type { Logger } from 'pino';
import { toHtml } from '../destinations/texts/toHtml.ts';
import { toPlainText } from '../destinations/texts/toPlainText.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { startPoller } from '../lib/startPoller.ts';
import type { Keyring } from '../model/keyring.ts';
import type { SendOutcome } from '../model/notification.ts';
import type { Store } from '../store/db/db.ts';
import { pollDue } from '../store/db/pollDue.ts';
import {
  type ClaimedMail,
  claimMails,
  finishMail,
  isMailDue,
  type MailResult,
  purgeMails,
} from '../store/destinations/mailOutbox.ts';
import type { Mailer } from './createMailer.ts';
import { nextAttempt } from './retrySchedule.ts';
import { toMailStory } from './toMailStory.ts';

type Options = { store: Store; keyring: Keyring; mailer: Mailer; now: () => number; log: Logger };

const batchSize = 20;
const sendTimeoutMs = 30_000;
/** Longer than sending takes, so that two processes send the same mail only after a crash. */
const leaseMs = 2 * sendTimeoutMs;
const retentionMs = 30 * 24 * 3_600_000;

/** Sends the queued mails: invites, confirmations and notices to managers. */
export function startMailOutbox(options: Options): Stoppable {
  let isFailing = false;
  const stopping = new AbortController();

  async function sendAll(): Promise<void> {
    while ((await sendDueMails(options)) === batchSize && !stopping.signal.aborted);
    isFailing = false;
  }

  const poller = startPoller(sendAll, {
    whenDue: (wake) => pollDue(options.store, () => isMailDue(options.now()), wake),
    onError(error) {
      if (!isFailing) options.log.warn({ err: error }, 'Failed to send queued mails; will retry');
      isFailing = true;
    },
  });
  poller.wake();
  return {
    async stop() {
      stopping.abort();
      await poller.stop();
    },
  };
}

/** Sends one batch; returns how many mails it tried. */
export async function sendDueMails({ store, keyring, mailer, now }: Options): Promise<number> {
  const mails = await claimMails(store, keyring, { limit: batchSize, leaseMs, now: now() });
  await Promise.all(
    mails.map(async (mail) => {
      const story = toMailStory(mail);
      const outcome = await mailer.send(
        { uid: mail.uid, to: mail.to, subject: story.title, text: toPlainText(story), html: toHtml(story) },
        AbortSignal.timeout(sendTimeoutMs),
      );
      // A mail that was not handed to the server is claimed again when its lease ends.
      if (!outcome.ok && outcome.unsent) return;
      await finishMail(store, mail.uid, toMailResult(mail, outcome, now()), now());
    }),
  );
  if (mails.length > 0) await purgeMails(store, now() - retentionMs);
  return mails.length;
}

function toMailResult(mail: ClaimedMail, outcome: SendOutcome, now: number): MailResult {
  const status = outcome.status ?? null;
  if (outcome.ok) return { state: 'DELIVERED', status, error: null };
  const next = outcome.permanent || outcome.gone ? undefined : nextAttempt(mail.attempts, now, Math.random());
  const failed = { status, error: outcome.error };
  return next === undefined
    ? { state: 'DEAD', ...failed }
    : { state: 'PENDING', nextAttemptAt: next, ...failed };
}
