/** Depth to which the state is known, at least: found by doubling, or all of it. */
export function archiveDepth(head: number, isKnown: (number: number) => Promise<boolean>): Promise<number> {
  const doubling = Array.from({ length: 50 }, (_, exponent) => 2 ** exponent).filter((depth) => depth < head);
  return largest([0, ...doubling, ...(head > 0 ? [head] : [])], (depth) => isKnown(head - depth));
}

/** The largest of these rising values that fits, where all below one that fits do; 0 when none does. */
export async function largest(
  values: readonly number[],
  fits: (value: number) => Promise<boolean>,
): Promise<number> {
  const last = values.at(-1);
  // Nodes of one's own know all, with one call.
  if (last === undefined || (await fits(last))) return last ?? 0;
  let low = -1;
  let high = values.length - 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await fits(values[middle]!)) low = middle;
    else high = middle;
  }
  return values[low] ?? 0;
}
