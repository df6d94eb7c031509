export type Key = string | number;

/**
 * Gives each row one of the elements in the document. A row that stays keeps its element; one that comes into view takes over that of
 * a row that left, because to change texts costs a browser much less than to build elements. After a jump, when few rows stay, all but
 * `kept` change their elements, so that none has to move in the document. Both maps are in the order of the rows.
 */
export function assignSlots(
  before: ReadonlyMap<Key, number>,
  keys: readonly Key[],
  kept: Key | undefined,
): Map<Key, number> {
  const isJump = keys.filter((key) => before.has(key)).length * 2 < keys.length;
  const staying = new Map<Key, number>();
  for (const key of keys) {
    const slot = before.get(key);
    if (slot !== undefined && (key === kept || !isJump)) staying.set(key, slot);
  }
  const used = new Set(staying.values());
  const free = [...before.values()].filter((slot) => !used.has(slot)).reverse();
  let next = Math.max(-1, ...before.values());
  const after = new Map<Key, number>();
  for (const key of keys) {
    if (after.has(key)) continue;
    after.set(key, staying.get(key) ?? free.pop() ?? ++next);
  }
  return after;
}
