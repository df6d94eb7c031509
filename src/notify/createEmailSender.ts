import { createHash } from 'node:crypto';
import { digestStory, incidentOf } from '../destinations/texts/digestStory.ts';
import { lineAt } from '../destinations/texts/readData.ts';
import { toHtml } from '../destinations/texts/toHtml.ts';
import { toPlainText } from '../destinations/texts/toPlainText.ts';
import type { Message } from '../model/notification.ts';
import type { Mailer } from './createMailer.ts';
import type { Sender } from './createNotifier.ts';

/** Sends messages as a mail; several become one digest. */
export function createEmailSender(mailer: Mailer): Sender {
  return {
    async send({ value, isConfirmed }, messages, signal, earlier) {
      if (!isConfirmed) return { ok: false, error: unconfirmed };
      if (!value) return { ok: false, permanent: true, error: 'The destination has no mail address.' };
      const rendered = render(messages);
      const isMore = earlier !== undefined && !earlier.isNews;
      const ref = isMore ? earlier.ref : rendered.subject;
      // Some mail programs form threads only of mails whose subjects are alike.
      const subject = isMore ? `Re: ${ref}` : ref;
      const mail = { to: value, ...rendered, subject, uid: uidOf(messages), ...threadOf(messages) };
      const outcome = await mailer.send(mail, signal);
      return outcome.ok && incidentOf(messages) ? { ...outcome, ref } : outcome;
    },
    render: ({ value }, messages) => ({ type: 'EMAIL', to: value ?? '', ...render(messages) }),
    // The mailer is shared; its creator closes it.
    close: async () => {},
  };
}

const unconfirmed =
  'The address is not confirmed yet: open the link that was mailed to it, or have it mailed again with POST /destination/{id}/confirm.';

function render(messages: readonly Message[]) {
  const story = digestStory(messages);
  return { subject: story.title, text: toPlainText(story), html: toHtml(story) };
}

/** A digest of other messages is another mail: mail programs would hide it if it had the same id. */
function uidOf(messages: readonly Message[]): string {
  const uids = messages.map(({ uid }) => uid).sort();
  const [only, ...rest] = uids;
  if (only !== undefined && rest.length === 0) return only;
  return `digest-${createHash('sha256').update(uids.join()).digest('hex').slice(0, 32)}`;
}

/** All mails of one incident, or of one alert without, refer to one message id, so that they form a thread. */
function threadOf(messages: readonly Message[]): { thread?: string } {
  const incidentUid = incidentOf(messages);
  if (incidentUid) return { thread: `incident-${incidentUid}` };
  const [message, another] = messages;
  const alertUid =
    message && !another && message.type.startsWith('alert.') ? lineAt(message.data, 'uid') : '';
  return alertUid ? { thread: `alert-${alertUid}` } : {};
}
