import { itemAt } from './itemAt.ts';
/** The known word that `word` was most likely meant to be, if any is at most `maxDistance` slips away. */
export function nearest(word: string, words: Iterable<string>, maxDistance = 3): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.min(maxDistance, Math.ceil(wanted.length / 3)) + 1;
  for (const candidate of words) {
    // The length difference is a lower bound, and keeps a long word from costing a whole table.
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours (the commonest slip of a typist) cost one each. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = itemAt(last, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      let cost = Math.min(replaced, itemAt(last, column) + 1, itemAt(current, column - 1) + 1);
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, itemAt(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return itemAt(last, to.length);
}
