/** The epoch milliseconds with which the uid of an alert or a score change begins, or undefined if it is no such uid. */
export function uidTime(uid: string): number | undefined {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uid)) return undefined;
  return Number.parseInt(uid.slice(0, 8) + uid.slice(9, 13), 16);
}
