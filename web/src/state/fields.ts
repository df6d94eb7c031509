/** A record, or what was typed of it, by its members. */
export type Fields = Record<string, unknown>;

/** Whether two values say the same; nothing, null and a missing member are one. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other || (one ?? null) === (other ?? null)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  if (Array.isArray(one) && one.length !== (other as unknown[]).length) return false;
  return Object.keys(changesOf(one as Fields, other as Fields)).length === 0;
}

/** The members that differ, as they are afterwards; one that is gone is undefined. */
export function changesOf(before: Fields, after: Fields): Fields {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names].filter((name) => !isSame(before[name], after[name])).map((name) => [name, after[name]]),
  );
}

/** The value at a JSON pointer: `/config/threshold`. */
export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const name of pointer.split('/').slice(1))
    at = typeof at === 'object' && at !== null ? (at as Fields)[name] : undefined;
  return at;
}

/** A member as it is sent: null clears it, and clears what was emptied in an item of a list, which keeps what is left out. */
export function clearEmptied(before: unknown, after: unknown): unknown {
  if (!Array.isArray(after) || !Array.isArray(before)) return after ?? null;
  const stored = new Map(before.filter(isFields).map((item) => [item.id, item]));
  return after.map((item: unknown) => {
    const old = isFields(item) && item.id !== undefined ? stored.get(item.id) : undefined;
    if (!old || !isFields(item)) return item;
    const names = new Set([...Object.keys(old), ...Object.keys(item)]);
    return Object.fromEntries([...names].map((name) => [name, clearEmptied(old[name], item[name])]));
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
