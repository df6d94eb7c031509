import { decimalsData, symbolData } from '../../codecs/evm/tokenMetadata.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { zip } from '../../lib/zip.ts';
import type { Fetch, ReadRequest } from '../../matching/createReadCache.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { Db } from '../../store/db/db.ts';
import { findTokenFacts, saveTokenFacts, type TokenFact } from '../../store/watch/tokenFacts.ts';

/** A token behind a proxy may be renamed, so that a fact is read again after this time. */
const freshMs = 86_400_000;
const maxCached = 50_000;
/** A symbol is the token's own choice, and may be of any length. */
const maxResultLength = 2000;

type FactRequest = Extract<ReadRequest, { type: 'chain' }> & {
  question: Extract<StateRead, { type: 'call' }>;
};

/**
 * Serves unchanging facts of a token (decimals, symbol) from cache, and reads them from the newest block where nodes
 * lack the observed one. So nodes with few states suffice after a downtime.
 */
export function withTokenFacts(fetch: Fetch, db: Db, chainUid: string, now: () => number): Fetch {
  const cached = createBoundedMap<string, TokenFact>(maxCached);

  async function load(requests: readonly FactRequest[]): Promise<void> {
    const unknown = requests.map(toKey).filter((key) => !cached.has(keyOf(key)));
    if (unknown.length === 0) return;
    for (const fact of await findTokenFacts(db, chainUid, unknown)) cached.set(keyOf(fact), fact);
  }

  /** Stores what is new. */
  async function save(requests: readonly FactRequest[], results: readonly unknown[]): Promise<void> {
    const read = zip(requests, results).flatMap(([request, result]) => {
      const data = dataOf(result as StateResult);
      return data === undefined ? [] : [{ ...toKey(request), result: data, readAt: now() }];
    });
    // The same fact may be asked at two blocks, and a statement changes a row only once.
    const facts = new Map(read.map((fact) => [keyOf(fact), fact]));
    for (const [key, fact] of facts) cached.set(key, fact);
    if (facts.size > 0) await saveTokenFacts(db, chainUid, [...facts.values()]);
  }

  return async (requests, pace) => {
    const facts = requests.filter(isFactRequest);
    if (facts.length === 0) return fetch(requests, pace);
    await load(facts);
    const cachedFact = (request: ReadRequest) =>
      isFactRequest(request) ? cached.get(keyOf(toKey(request))) : undefined;
    const asked = requests.filter((request) => !isFresh(cachedFact(request), now()));
    const fetched = asked.length > 0 ? await fetch(asked, pace) : [];
    const results = new Map<ReadRequest, unknown>(zip(asked, fetched));
    const unread = facts.filter((fact) => isMissing(results.get(fact)) && !cachedFact(fact));
    const newest = unread.map(({ question }): ReadRequest => ({ type: 'newest', question }));
    if (unread.length > 0)
      for (const [fact, result] of zip(unread, await fetch(newest, pace))) results.set(fact, result);
    const read = facts.filter((fact) => results.has(fact));
    if (read.length > 0)
      await save(
        read,
        read.map((fact) => results.get(fact)),
      );
    return requests.map((request) => {
      const result = results.get(request);
      const fact = result === undefined || isMissing(result) ? cachedFact(request) : undefined;
      return fact ? { value: { data: fact.result } } : result;
    });
  };
}

function isFactRequest(request: ReadRequest): request is FactRequest {
  return (
    request.type === 'chain' &&
    request.question.type === 'call' &&
    (request.question.data === decimalsData || request.question.data === symbolData)
  );
}

function toKey({ question: { to, data } }: FactRequest): Pick<TokenFact, 'address' | 'call'> {
  return { address: to, call: data };
}

function keyOf({ address, call }: Pick<TokenFact, 'address' | 'call'>): string {
  return `${address} ${call}`;
}

function isFresh(fact: TokenFact | undefined, now: number): boolean {
  return fact !== undefined && fact.readAt > now - freshMs;
}

function isMissing(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'missing' in result;
}

/** Result of a call; undefined for a revert, an empty answer and an unterminated text, which are no facts. */
function dataOf(result: StateResult): string | undefined {
  const value = 'value' in result ? result.value : undefined;
  const data = typeof value === 'object' && 'data' in value ? value.data : undefined;
  return data !== undefined && data.length >= 66 && data.length <= maxResultLength ? data : undefined;
}
