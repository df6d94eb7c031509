import { cleanLine, cleanLink } from '../destinations/texts/clean.ts';
import { toLine, toTime } from '../destinations/texts/readData.ts';
import type { Story } from '../destinations/texts/story.ts';
import { subscriptionStory } from '../destinations/texts/subscriptionStory.ts';
import type { ClaimedMail } from '../store/destinations/mailOutbox.ts';

/** The content of a mail to a person who is not a destination. */
export function toMailStory(mail: ClaimedMail): Story {
  const bare = { items: [], more: 0, links: [], footer: `Vigil · ${mail.uid}` };
  switch (mail.kind) {
    case 'invite':
      return { ...bare, ...inviteStory(mail.data) };
    case 'confirm':
      return { ...bare, ...confirmStory(mail.data) };
    case 'reset':
      return { ...bare, ...resetStory(mail.data) };
    case 'subscription':
      return { ...bare, ...subscriptionStory(mail.data) };
  }
}

type Reset = Extract<ClaimedMail, { kind: 'reset' }>['data'];

function resetStory({ by, tenantName, at }: Reset): Pick<Story, 'title' | 'lead' | 'facts'> {
  const where = tenantName ? cleanLine(tenantName, 100) : 'the platform';
  return {
    title: `Your password for ${where} on Vigil was set by someone else`,
    lead: 'Who set it can sign in as you until you change it. If you did not ask for this, tell another manager at once.',
    facts: [
      { name: 'Set by', value: by === null ? 'a key that belongs to no user' : toLine(by, 254) },
      { name: 'At', value: toTime(at) },
    ],
  };
}

type Confirm = Extract<ClaimedMail, { kind: 'confirm' }>['data'];

function confirmStory({
  link,
  tenantName,
  expiredAt,
}: Confirm): Pick<Story, 'title' | 'lead' | 'facts' | 'links'> {
  const who = tenantName ? cleanLine(tenantName, 100) : 'Someone';
  const url = cleanLink(link);
  return {
    title: `Confirm this address for alerts of ${who}`,
    lead: `${who} wants to send alerts of Vigil to this address. Open the link and confirm to receive them. If you did not expect this mail, ignore it: nothing else is sent.`,
    facts: [{ name: 'Valid until', value: toTime(expiredAt) }],
    links: url ? [{ label: 'Confirm the address', url }] : [],
  };
}

type Invite = Extract<ClaimedMail, { kind: 'invite' }>['data'];

function inviteStory({
  link,
  invitedBy,
  tenantName,
  roles,
  expiredAt,
}: Invite): Pick<Story, 'title' | 'lead' | 'facts' | 'links'> {
  const where = tenantName ? cleanLine(tenantName, 100) : 'the platform';
  const inviter = invitedBy ? cleanLine(invitedBy, 100) : 'An administrator';
  const url = cleanLink(link);
  return {
    title: `You are invited to join ${where} on Vigil`,
    lead: `${inviter} invites you to join ${where}. Open the link to choose a name and a password. Anyone with the link can use it, so do not share it. If you did not expect this mail, ignore it.`,
    facts: [
      ...(url ? [{ name: 'The link leads to', value: new URL(url).host }] : []),
      { name: 'Roles', value: toLine(roles.join(', '), 200) },
      { name: 'Valid until', value: toTime(expiredAt) },
    ],
    links: url ? [{ label: 'Accept the invite', url }] : [],
  };
}
