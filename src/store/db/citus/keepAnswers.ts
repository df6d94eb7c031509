import { createBoundedMap } from '../../../lib/createBoundedMap.ts';

type Query = { text: string; values: unknown[]; name?: string };
type Answer = { rows: Record<string, unknown>[] };
type Ask = (query: Query) => Promise<Answer>;

/** As long as a token is trusted without being looked up: what another process changes takes effect in under a second. */
const keepMs = 500;
const maxKept = 10_000;

/** Of this process, in whatever database. */
let writes = 0;

const writing = /\b(?:insert|update|delete|truncate)\b/i;

/** Has to be called after a statement that this process runs by itself: what it has written is seen by what it reads from then on. */
export function noteStatement(text: string): void {
  if (writing.test(text)) noteWrites();
}

/** The same after a transaction, whatever came of it. */
export function noteWrites(): void {
  writes++;
}

/**
 * Repeats a question only after half a second or a write of this process. A client asks several times about one
 * contract, and the coordinator would be woken for each.
 */
export function keepAnswers(ask: Ask, now: () => number = () => performance.now()): Ask {
  const cache = createBoundedMap<string, { answer: Promise<Answer>; at: number; writes: number }>(maxKept);
  return (query) => {
    const key = JSON.stringify([query.text, query.values]);
    const cached = cache.get(key);
    if (cached && cached.writes === writes && now() - cached.at < keepMs) return cached.answer;
    const answer = ask(query);
    cache.set(key, { answer, at: now(), writes });
    answer.catch(() => {
      if (cache.get(key)?.answer === answer) cache.delete(key);
    });
    return answer;
  };
}
