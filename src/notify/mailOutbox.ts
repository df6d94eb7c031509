import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SendOutcome } from '../model/notification.ts';
import type { Store } from '../store/db.ts';
import {
  type ClaimedMail,
  claimMails,
  finishMail,
  forgetOldMails,
  type MailResult,
} from '../store/destinations/mailOutbox.ts';
import type { Keyring } from '../store/keyring.ts';
import type { Mailer } from './mailer.ts';
import { nextAttempt } from './retrySchedule.ts';
import { toHtml } from './texts/toHtml.ts';
import { toMailStory } from './texts/toMailStory.ts';
import { toPlainText } from './texts/toPlainText.ts';

type Options = { store: Store; keyring: Keyring; mailer: Mailer; now: () => number; log: Logger };

const limit = 20;
const sendMs = 30_000;
/** Longer than sending takes, so that two processes send the same mail only when one has died. */
const leaseMs = 2 * sendMs;
const keptMs = 30 * 24 * 3_600_000;

/** Sends the mails that wait in their table: invites and notices to managers. */
export function startMailOutbox(options: Options, everyMs = 1000): { stop(): Promise<void> } {
  const ending = new AbortController();

  async function run(): Promise<void> {
    let isFailing = false;
    while (!ending.signal.aborted) {
      try {
        const count = await sendDueMails(options);
        isFailing = false;
        if (count === limit) continue;
      } catch (error) {
        if (!isFailing) options.log.warn({ err: error }, 'Waiting mails were not sent; they are soon');
        isFailing = true;
      }
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async stop() {
      ending.abort();
      await running;
    },
  };
}

/** One round; how many mails were tried. */
export async function sendDueMails({ store, keyring, mailer, now }: Options): Promise<number> {
  const mails = await claimMails(store, keyring, { limit, leaseMs, now: now() });
  await Promise.all(
    mails.map(async (mail) => {
      const story = toMailStory(mail);
      const outcome = await mailer.send(
        { uid: mail.uid, to: mail.to, subject: story.title, text: toPlainText(story), html: toHtml(story) },
        AbortSignal.timeout(sendMs),
      );
      // What nobody was asked to take is taken up again when its lease ends.
      if (!outcome.ok && outcome.unsent) return;
      await finishMail(store, mail.uid, toResult(mail, outcome, now()), now());
    }),
  );
  if (mails.length > 0) await forgetOldMails(store, now() - keptMs);
  return mails.length;
}

function toResult(mail: ClaimedMail, outcome: SendOutcome, now: number): MailResult {
  const status = outcome.status ?? null;
  if (outcome.ok) return { state: 'DELIVERED', status, error: null };
  const next = outcome.permanent || outcome.gone ? undefined : nextAttempt(mail.attempts, now, Math.random());
  const failed = { status, error: outcome.error };
  return next === undefined
    ? { state: 'DEAD', ...failed }
    : { state: 'PENDING', nextAttemptAt: next, ...failed };
}
