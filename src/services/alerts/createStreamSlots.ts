import { Problem } from '../../model/errors.ts';

/** Streams that one token may have open at once. */
const perToken = 10;

export type StreamSlots = ReturnType<typeof createStreamSlots>;

/** Counts the streams that this process has open, by token and by tenant. */
export function createStreamSlots() {
  const tokens = new Map<number, number>();
  const tenants = new Map<number, number>();

  return {
    count: (tenantId: number | null) => (tenantId === null ? 0 : (tenants.get(tenantId) ?? 0)),

    /** Opens one, or says why not; returns how to close it, which may be called more than once. */
    take(
      { tokenId, tenantId }: { tokenId: number; tenantId: number | null },
      maxStreams: number,
    ): () => void {
      refuse(tokens.get(tokenId) ?? 0, perToken, 'rate-limited', 'A token');
      if (tenantId !== null) refuse(tenants.get(tenantId) ?? 0, maxStreams, 'plan-limit', 'The tenant');
      add(tokens, tokenId, 1);
      if (tenantId !== null) add(tenants, tenantId, 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        add(tokens, tokenId, -1);
        if (tenantId !== null) add(tenants, tenantId, -1);
      };
    },
  };
}

function refuse(count: number, limit: number, code: 'rate-limited' | 'plan-limit', who: string): void {
  if (count < limit) return;
  throw new Problem(
    code,
    `${who} may have ${limit} streams open at once, and ${count} are open; close one first.`,
    {
      limit,
      count,
      ...(code === 'rate-limited' ? { retryAfterSeconds: 5 } : {}),
    },
  );
}

function add(counts: Map<number, number>, key: number, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
