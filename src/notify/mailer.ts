import { createTransport } from 'nodemailer';
import { createFairQueue } from '../lib/createFairQueue.ts';
import { isMailAddress } from '../lib/mailAddress.ts';
import type { Secret } from '../lib/secret.ts';
import type { SendOutcome } from '../model/notification.ts';
import { cleanLine } from './texts/clean.ts';
import { toMailOutcome } from './toMailOutcome.ts';

type Mail = {
  /** The same for the same mail, so that a reader's program recognises one that comes twice. */
  uid: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** What it is about: mails with the same thread are shown together. */
  thread?: string;
};

export type Mailer = {
  /** Never throws for what the mail server does. */
  send(mail: Mail, signal: AbortSignal): Promise<SendOutcome>;
  close(): Promise<void>;
};

const connections = 4;
/** Mails of destinations under way at once: enough that no connection waits for one, and few that wait for a connection. */
export const mailsAtOnce = 2 * connections;

/** Sends mails over a few connections that stay open. What the address of the server sets goes before what is set here. */
export function createMailer({ url, from }: { url: Secret; from: string }): Mailer {
  const sender = readSender(from);
  const transport = createTransport({
    url: url.reveal(),
    pool: true,
    maxConnections: connections,
    // A mail that fails is a row that is tried again later, with its reason written down.
    maxRequeues: 0,
    idleTimeout: 30_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Every send is told of what happened to it; an event that nobody hears would end the process.
  transport.on('error', () => {});
  // Sends are let in one by one, because what already stands in the pool's own line cannot be called back.
  const queue = createFairQueue({ slots: connections });

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
        return { ok: false, permanent: true, error: 'The mail address is none that mail can be sent to.' };
      let isBegun = false;
      const sending = queue.run('', async () => {
        if (signal.aborted) return waited;
        isBegun = true;
        return send(mail);
      });
      return withinTime(sending, signal, () => (isBegun ? late : waited));
    },
    close: async () => transport.close(),
  };
}

const late: SendOutcome = { ok: false, error: 'The mail server did not take the mail in time.' };
const waited: SendOutcome = {
  ok: false,
  unsent: true,
  error: 'The mail waited too long behind others for the mail server; nothing was sent.',
};

/** A mail that is on its way cannot be called back; nobody waits for it any longer. */
function withinTime(
  sending: Promise<SendOutcome>,
  signal: AbortSignal,
  otherwise: () => SendOutcome,
): Promise<SendOutcome> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(otherwise());
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
