import { createHash } from 'node:crypto';
import type { Mailer } from './mailer.ts';
import type { Message, Sender } from './sender.ts';
import { digestStory } from './texts/digestStory.ts';
import { lineAt } from './texts/readData.ts';
import { toHtml } from './texts/toHtml.ts';
import { toPlainText } from './texts/toPlainText.ts';

/** Mails what happened; many messages become one digest. */
export function createEmailSender(mailer: Mailer): Sender {
  return {
    async send({ value, isConfirmed }, messages, signal) {
      if (!isConfirmed) return { ok: false, error: unconfirmed };
      if (!value) return { ok: false, permanent: true, error: 'The destination has no mail address.' };
      const mail = { to: value, ...render(messages), uid: uidOf(messages), ...threadOf(messages) };
      return mailer.send(mail, signal);
    },
    render: ({ value }, messages) => ({ type: 'EMAIL', to: value ?? '', ...render(messages) }),
    // The mailer is shared; whoever made it closes it.
    close: async () => {},
  };
}

const unconfirmed =
  'The address is not confirmed yet: open the link that was mailed to it, or have it mailed again with POST /destination/{id}/confirm.';

function render(messages: readonly Message[]) {
  const story = digestStory(messages);
  return { subject: story.title, text: toPlainText(story), html: toHtml(story) };
}

/** Another set of messages is another mail: were it taken for the first, what came in addition would not be seen. */
function uidOf(messages: readonly Message[]): string {
  const uids = messages.map(({ uid }) => uid).sort();
  if (uids.length === 1) return uids[0]!;
  return `digest-${createHash('sha256').update(uids.join()).digest('hex').slice(0, 32)}`;
}

/** All that is told of one alert, its retraction too, hangs on a first mail that need not exist. */
function threadOf([message, another]: readonly Message[]): { thread?: string } {
  const alertUid =
    message && !another && message.type.startsWith('alert.') ? lineAt(message.data, 'uid') : '';
  return alertUid ? { thread: `alert-${alertUid}` } : {};
}
