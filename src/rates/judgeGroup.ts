import { type Counted, type Episode, findEpisodes } from './findEpisodes.ts';

/** An episode that was reported before. */
export type Reported = Episode & { readonly id: number };

type Judgement<R extends Reported> = {
  /** Episodes that were not reported. */
  fresh: Episode[];
  /** Reported ones that last longer, or began earlier, than was known. */
  changed: R[];
  /** Reported ones of which nothing is left. */
  gone: R[];
};

/**
 * Compares the episodes of a group with the reported ones. Episodes that touch are the same, so a late alert that
 * extends or joins episodes reports nothing again.
 */
export function judgeGroup<R extends Reported>(
  hits: readonly Counted[],
  reported: readonly R[],
  rule: { windowMs: number; atLeast: number },
  /** The earliest change; hits before it are complete only as far as they are within the window of it. */
  since: number,
  /** True if reported episodes may have ended, because hits were taken back. */
  isReduced: boolean,
): Judgement<R> {
  const episodes = findEpisodes(hits, rule).filter(({ until }) => until >= since);
  const touches = (left: Episode, right: Episode) => left.from <= right.until && right.from <= left.until;
  const changed = new Map<number, R>();
  const fresh: Episode[] = [];
  for (const episode of episodes) {
    const same = reported.find((candidate) => touches(candidate, episode));
    if (!same) {
      fresh.push(episode);
      continue;
    }
    const cached = changed.get(same.id) ?? same;
    const from = Math.min(cached.from, episode.from);
    const until = Math.max(cached.until, episode.until);
    if (from !== cached.from || until !== cached.until) changed.set(same.id, { ...cached, from, until });
  }
  const gone = isReduced
    ? reported.filter((crossing) => !episodes.some((episode) => touches(crossing, episode)))
    : [];
  return { fresh, changed: [...changed.values()], gone };
}
