import type { Interest } from '../model/detection.ts';
import type { Subscriber } from './subscriber.ts';

export type AddressInterest = Extract<Interest, { address: string }>;
type Subscription = { readonly interest: AddressInterest; readonly subscriber: Subscriber };

/** The subscriptions of an address; beyond the threshold they are looked up by key instead of scanned. */
export type SubscriptionEntry = {
  readonly address: string;
  subscriptions: Subscription[];
  lookup?: Lookup | undefined;
};
type Lookup = ReadonlyMap<string, Subscriber[]>;
const lookupThreshold = 16;
export const anyKey = '*';

/**
 * Subscribers with this interest in the address; `key` is that of the event or function where there is one. With `isWithin`
 * only those who want what happens within transactions as well.
 */
export function subscribersFor(
  entry: SubscriptionEntry,
  on: AddressInterest['on'],
  key = anyKey,
  isWithin = false,
): readonly Subscriber[] {
  if (entry.subscriptions.length <= lookupThreshold)
    return entry.subscriptions.flatMap(({ interest, subscriber }) =>
      interest.on === on && isKey(interest, key) && (!isWithin || isInner(interest)) ? [subscriber] : [],
    );
  entry.lookup ??= toLookup(entry.subscriptions);
  const name = isWithin ? `inner ${on}` : on;
  return [
    ...(entry.lookup.get(`${name} ${anyKey}`) ?? []),
    ...(key === anyKey ? [] : (entry.lookup.get(`${name} ${key}`) ?? [])),
  ];
}

/** True if it needs inner calls. */
export function wantsTraces({ interests }: Pick<Subscriber, 'interests'>): boolean {
  return interests.some((interest) => 'address' in interest && isInner(interest));
}

export function isInner(interest: AddressInterest): boolean {
  if (interest.on === 'trace' || interest.on === 'deployment') return true;
  return 'inner' in interest && interest.inner;
}

function keysOf(interest: AddressInterest): readonly string[] | undefined {
  return 'keys' in interest ? interest.keys : undefined;
}

function isKey(interest: AddressInterest, key: string): boolean {
  return keysOf(interest)?.includes(key) ?? true;
}

function toLookup(subscriptions: readonly Subscription[]): Lookup {
  const lookup = new Map<string, Subscriber[]>();
  for (const { interest, subscriber } of subscriptions) {
    for (const key of keysOf(interest) ?? [anyKey])
      for (const on of isInner(interest) ? [interest.on, `inner ${interest.on}`] : [interest.on]) {
        const name = `${on} ${key}`;
        const list = lookup.get(name);
        if (list) list.push(subscriber);
        else lookup.set(name, [subscriber]);
      }
  }
  return lookup;
}
