import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** The state as canisters and subnets have it: branches by their labels, which are texts or bytes, and leaves. */
export type Branches = { [label: string]: State } | Map<Uint8Array, State>;
type State = Uint8Array | Branches;
type HashTree = [0] | [1, HashTree, HashTree] | [2, Uint8Array, HashTree] | [3, Uint8Array];

export function createHashTree(state: State): HashTree {
  if (state instanceof Uint8Array) return [3, state];
  const entries: [Uint8Array, State][] =
    state instanceof Map
      ? [...state]
      : Object.entries(state).map(([label, inner]) => [utf8ToBytes(label), inner]);
  const labeled = entries
    .sort(([a], [b]) => Buffer.compare(a, b))
    .map(([label, inner]): HashTree => [2, label, createHashTree(inner)]);
  return join(labeled);
}

function join(trees: readonly HashTree[]): HashTree {
  const [first] = trees;
  if (!first) return [0];
  if (trees.length === 1) return first;
  const middle = Math.ceil(trees.length / 2);
  return [1, join(trees.slice(0, middle)), join(trees.slice(middle))];
}

export function rootHash(tree: HashTree): Uint8Array {
  switch (tree[0]) {
    case 0:
      return sha256(domain('ic-hashtree-empty'));
    case 1:
      return sha256(concatBytes(domain('ic-hashtree-fork'), rootHash(tree[1]), rootHash(tree[2])));
    case 2:
      return sha256(concatBytes(domain('ic-hashtree-labeled'), tree[1], rootHash(tree[2])));
    case 3:
      return sha256(concatBytes(domain('ic-hashtree-leaf'), tree[1]));
  }
}

/** An unsigned number, seven bits a byte. */
export function leb(number: bigint): Uint8Array {
  const bytes: number[] = [];
  let left = number;
  do {
    const byte = Number(left & 127n);
    left >>= 7n;
    bytes.push(left > 0n ? byte | 128 : byte);
  } while (left > 0n);
  return Uint8Array.from(bytes);
}

function domain(name: string): Uint8Array {
  const bytes = utf8ToBytes(name);
  return concatBytes(Uint8Array.of(bytes.length), bytes);
}
