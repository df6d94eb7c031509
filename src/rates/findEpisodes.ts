/** An alert that counts; `value` is what must differ, the alert itself where alerts are counted. */
export type Counted = { readonly timestamp: number; readonly value: string };

/** A time in which at least so many were within the window. */
export type Episode = { readonly from: number; readonly until: number };

/**
 * The times at which the window that ends there has at least `atLeast` different values. A hit that expires as the next
 * comes leaves no gap. `hits` are in time order.
 */
export function findEpisodes(
  hits: readonly Counted[],
  { windowMs, atLeast }: { windowMs: number; atLeast: number },
): Episode[] {
  const episodes: Episode[] = [];
  const present = new Map<string, number>();
  let from: number | undefined;
  let added = 0;
  let expired = 0;
  while (expired < hits.length) {
    const end = hits[expired]!.timestamp + windowMs;
    const time = Math.min(end, hits[added]?.timestamp ?? end);
    for (; expired < added && hits[expired]!.timestamp + windowMs === time; expired++) {
      const { value } = hits[expired]!;
      const left = present.get(value)! - 1;
      if (left > 0) present.set(value, left);
      else present.delete(value);
    }
    for (; hits[added]?.timestamp === time; added++) {
      const { value } = hits[added]!;
      present.set(value, (present.get(value) ?? 0) + 1);
    }
    if (present.size >= atLeast) from ??= time;
    else if (from !== undefined) {
      episodes.push({ from, until: time });
      from = undefined;
    }
  }
  return episodes;
}
