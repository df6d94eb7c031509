const cached = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The addresses of a configured list in lower case; cached, since lists can be long and are checked for every event. */
export function addressSet(list: readonly string[]): ReadonlySet<string> {
  let set = cached.get(list);
  if (!set) {
    set = new Set(list.map((address) => address.toLowerCase()));
    cached.set(list, set);
  }
  return set;
}

/** Whether an address, in lower case, is in a configured list, which may have any case. */
export function isListed(list: readonly string[], address: string): boolean {
  return list.some((listed) => listed.toLowerCase() === address);
}
