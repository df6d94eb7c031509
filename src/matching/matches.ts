import type { Observation } from '../model/detection.ts';
import type { Subscriber } from './subscriber.ts';

/** The observations of each subscriber, in the order of the block. */
export type Matches = Map<Subscriber, Observation[]>;

export function addObservation(matches: Matches, subscriber: Subscriber, observation: Observation): void {
  const observations = matches.get(subscriber);
  if (observations) observations.push(observation);
  else matches.set(subscriber, [observation]);
}

export function addAll(interested: Set<Subscriber>, subscribers: readonly Subscriber[]): void {
  for (const subscriber of subscribers) interested.add(subscriber);
}
