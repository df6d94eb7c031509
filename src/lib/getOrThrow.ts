/** The value of a key that the caller has made sure is there; throws where the map lacks it. */
export function getOrThrow<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new Error(`There is no value for ${String(key)}.`);
  return value;
}
