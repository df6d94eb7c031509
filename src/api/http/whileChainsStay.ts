import { chainUids } from '../../model/chainUid.ts';

/** Keeps what is made, until a chain is added or deleted: the API document lists them. */
export function whileChainsStay<T extends object | string>(make: () => T): () => T {
  let names = '';
  let made: T | undefined;
  return () => {
    const now = chainUids.join();
    if (made === undefined || now !== names) made = make();
    names = now;
    return made;
  };
}
