/** A map of at most `max` entries. A key that is set again becomes the newest, and the oldest entry makes room for a new one. */
export function createBoundedMap<K, V>(max: number): Map<K, V> {
  return new BoundedMap(max);
}

class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) this.delete(this.keys().next().value as K);
    return this;
  }
}
