import { type Data, lineAt, memberAt, toTime } from './readData.ts';
import type { Story } from './story.ts';

/** The end of a subscription: ahead, past, or past its grace time, when watching has stopped. */
export function subscriptionStory(data: Data): Pick<Story, 'title' | 'lead' | 'facts'> {
  const days = Number(memberAt(data, 'daysLeft'));
  const tenant = lineAt(data, 'tenant', 'name');
  const of = tenant ? ` of ${tenant}` : '';
  const stopsAt = toTime(data.watchingUntil);
  return {
    ...texts[stateOf(data)](of, days, stopsAt),
    facts: [
      { name: 'Plan', value: lineAt(data, 'plan', 'name') },
      { name: 'Ends', value: toTime(data.expirationDate) },
    ].filter(({ value }) => value !== ''),
  };
}

type State = 'EXPIRING' | 'EXPIRED' | 'STOPPED';

function stateOf(data: Data): State {
  return data.state === 'EXPIRED' || data.state === 'STOPPED' ? data.state : 'EXPIRING';
}

const texts: Record<State, (of: string, days: number, stopsAt: string) => Pick<Story, 'title' | 'lead'>> = {
  EXPIRING: (of, days, stopsAt) => ({
    title: `The subscription${of} ends ${days > 0 ? `in ${days} ${days === 1 ? 'day' : 'days'}` : 'today'}`,
    lead: `After its end nothing can be changed, and watching stops on ${stopsAt}. An administrator can extend it.`,
  }),
  EXPIRED: (of, _days, stopsAt) => ({
    title: `The subscription${of} has ended`,
    lead: `Nothing can be changed until an administrator extends it. Watching stops on ${stopsAt}.`,
  }),
  STOPPED: (of) => ({
    title: `Watching has stopped: the subscription${of} has ended`,
    lead: 'Detectors and triggers no longer run. All records stay, and watching starts again when an administrator extends the subscription.',
  }),
};
