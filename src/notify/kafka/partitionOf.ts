const multiplier = 0x5bd1e995;
const seed = 0x9747b28c;

/** The partition of a key, by the rule of Kafka's own producers, so that other tools find a key where they expect it. */
export function partitionOf(key: Buffer, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** MurmurHash2 with the seed of Kafka. */
export function murmur2(bytes: Buffer): number {
  const { length } = bytes;
  let hash = seed ^ length;
  const whole = length - (length % 4);
  for (let position = 0; position < whole; position += 4) {
    const word = Math.imul(bytes.readInt32LE(position), multiplier);
    hash = Math.imul(hash, multiplier) ^ Math.imul(word ^ (word >>> 24), multiplier);
  }
  if (length > whole) {
    hash ^= bytes.readUIntLE(whole, length - whole);
    hash = Math.imul(hash, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}
