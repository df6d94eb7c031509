const cached = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The addresses of a configured list; cached, since lists can be long and are checked for every event. */
export function addressSet(list: readonly string[]): ReadonlySet<string> {
  let set = cached.get(list);
  if (!set) {
    set = new Set(list);
    cached.set(list, set);
  }
  return set;
}

/** True if an address is in a configured list. */
export function isListed(list: readonly string[], address: string): boolean {
  return list.includes(address);
}
