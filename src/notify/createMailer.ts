import { createTransport } from 'nodemailer';
import { cleanLine } from '../destinations/texts/clean.ts';
import { createFairQueue } from '../lib/createFairQueue.ts';
import { isMailAddress } from '../lib/mailAddress.ts';
import type { Secret } from '../lib/secret.ts';
import type { SendOutcome } from '../model/notification.ts';
import { mailConnections } from './mailConnections.ts';
import { toMailOutcome } from './toMailOutcome.ts';

type Mail = {
  /** The same for the same mail, so that a mail program recognises a duplicate. */
  uid: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Mail programs show mails with the same thread together. */
  thread?: string;
};

export type Mailer = {
  /** Never throws for a failure of the mail server. */
  send(mail: Mail, signal: AbortSignal): Promise<SendOutcome>;
  close(): Promise<void>;
};

/** Sends mails over a few pooled connections. Settings in the server's URL take precedence over those here. */
export function createMailer({ url, from }: { url: Secret; from: string }): Mailer {
  const sender = readSender(from);
  const transport = createTransport({
    url: url.reveal(),
    pool: true,
    maxConnections: mailConnections,
    // The outbox and the deliveries retry, and record the reason.
    maxRequeues: 0,
    idleTimeout: 30_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Every send gets its own outcome; an error event without a listener would end the process.
  transport.on('error', () => {});
  // A mail in the pool's own queue cannot be withdrawn, so mails wait here.
  const queue = createFairQueue({ slots: mailConnections });

  async function send(mail: Mail): Promise<SendOutcome> {
    try {
      const sent = await transport.sendMail({
        from: sender,
        to: { name: '', address: mail.to },
        envelope: { from: sender.address, to: [mail.to] },
        messageId: toMessageId(mail.uid),
        ...(mail.thread ? { references: toMessageId(mail.thread), inReplyTo: toMessageId(mail.thread) } : {}),
        subject: cleanLine(mail.subject, 200),
        text: mail.text,
        html: mail.html,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
      return { ok: true, status: Number(sent.response.slice(0, 3)) || 250 };
    } catch (error) {
      return toMailOutcome(error);
    }
  }

  function toMessageId(uid: string): string {
    return `<${uid.replace(/[^A-Za-z0-9.-]/g, '-')}@${sender.address.split('@')[1]}>`;
  }

  return {
    async send(mail, signal) {
      if (!isMailAddress(mail.to))
        return { ok: false, permanent: true, error: 'The mail address is invalid.' };
      let isStarted = false;
      const sending = queue.run('', async () => {
        if (signal.aborted) return notStarted;
        isStarted = true;
        return send(mail);
      });
      return resolveOnAbort(sending, signal, () => (isStarted ? timedOut : notStarted));
    },
    close: async () => transport.close(),
  };
}

const timedOut: SendOutcome = { ok: false, error: 'The mail server timed out.' };
const notStarted: SendOutcome = {
  ok: false,
  unsent: true,
  error: 'The mail waited too long behind others for the mail server; nothing was sent.',
};

/** A mail that is being sent cannot be withdrawn; the caller stops waiting for it. */
function resolveOnAbort(
  sending: Promise<SendOutcome>,
  signal: AbortSignal,
  onTimeout: () => SendOutcome,
): Promise<SendOutcome> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(onTimeout());
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    sending.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** `Vigil <alerts@example.com>` or the address alone. */
function readSender(from: string): { name: string; address: string } {
  const [, name = '', inner] = /^(.*)<([^<>]*)>$/.exec(from.trim()) ?? [];
  const address = (inner ?? from).trim();
  if (!isMailAddress(address)) {
    throw new Error(
      'VIGIL_MAIL_FROM must be a mail address such as alerts@example.com or Vigil <alerts@example.com>.',
    );
  }
  return { name: cleanLine(name.replaceAll('"', ''), 100) || 'Vigil', address };
}
