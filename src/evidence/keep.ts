import { isDeepStrictEqual } from 'node:util';

/** The part of an outcome that keeps a state: nothing when it is what was known before, because each change is a row written. */
export function keep<State extends object>(
  before: State | undefined,
  after: State,
): { readonly state?: State } {
  return isDeepStrictEqual(before ?? {}, after) ? {} : { state: after };
}
