/** Whether an address, in lower case, is in a configured list, which may have any case. */
export function isListed(list: readonly string[], address: string): boolean {
  return list.some((listed) => listed.toLowerCase() === address);
}
