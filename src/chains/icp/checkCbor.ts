import { Nonsense } from '../net/rpcFailure.ts';

/** Trees of certificates are less than a hundred deep, and have some hundred items. */
const maxDepth = 256;
const maxItems = 20_000;
/** Beginning of certificates, which come as bytes within an answer. */
const selfDescribed = Buffer.from('d9d9f7', 'hex');
const maxLayers = 4;

type Level = { left: number };

/**
 * Refuses CBOR that is nested too deeply or has too many items, before the library reads it, which does so by recursion and
 * believes every length. Certificates within it are looked at as well.
 */
export function checkCbor(bytes: Buffer, layer = 0): void {
  const levels: Level[] = [{ left: 1 }];
  let index = 0;
  for (let items = 0; levels.length > 0; ) {
    const level = levels.at(-1)!;
    const isBreak = bytes[index] === 0xff && level.left === Number.POSITIVE_INFINITY;
    if (level.left === 0 || isBreak) {
      if (isBreak) index++;
      levels.pop();
      continue;
    }
    if (++items > maxItems) throw new Nonsense('its answer has too many values');
    const { major, count, next } = readHead(bytes, index);
    index = next;
    // A tag belongs to the item that follows.
    if (major === 6) continue;
    level.left--;
    if (major === 2 || major === 3) {
      if (count === Number.POSITIVE_INFINITY) levels.push({ left: count });
      else {
        const content = bytes.subarray(index, index + count);
        if (content.length < count) throw notCbor();
        if (major === 2 && content.indexOf(selfDescribed) === 0 && layer < maxLayers)
          checkCbor(content, layer + 1);
        index += count;
      }
    } else if (major === 4 || major === 5) levels.push({ left: major === 4 ? count : 2 * count });
    if (levels.length > maxDepth) throw new Nonsense('its answer is nested too deeply');
  }
  if (index !== bytes.length) throw notCbor();
}

function readHead(bytes: Buffer, index: number): { major: number; count: number; next: number } {
  const first = bytes[index];
  if (first === undefined) throw notCbor();
  const [major, short] = [first >> 5, first & 31];
  if (short < 24) return { major, count: short, next: index + 1 };
  const isEndless = short === 31 && major >= 2 && major <= 5;
  if (isEndless) return { major, count: Number.POSITIVE_INFINITY, next: index + 1 };
  const size = 2 ** (short - 24);
  const next = index + 1 + size;
  if (short > 27 || next > bytes.length) throw notCbor();
  const count = size === 8 ? Number(bytes.readBigUInt64BE(index + 1)) : bytes.readUIntBE(index + 1, size);
  return { major, count, next };
}

function notCbor(): Nonsense {
  return new Nonsense('its answer is not CBOR');
}
