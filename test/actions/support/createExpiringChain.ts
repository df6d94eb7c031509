import type { Mined, Transactor } from '../../../src/chains/transactor.ts';
import type { Random } from '../../../testing/createRandom.ts';

type Sent = { hash: string; data: string; intent: bigint; validUntil: number };

const confirmations = 2;
const validBlocks = 3;

/** A chain whose transactions have no place but expire; it forgets and takes back what it likes, and its node may be late. */
export function createExpiringChain(random: Random) {
  const blocks: Sent[][] = [[]];
  const signed: Sent[] = [];
  let pool: Sent[] = [];
  const head = () => blocks.length - 1;
  /** What is final once stays so, also when a fork leaves the chain shorter. */
  let final = 0;
  const broadcast = new Set<Sent>();
  /** Attempts that were sent while another one of the same call could still be taken into a block. */
  const overlaps: Sent[] = [];
  let isDeaf = false;
  let isLying = false;

  function findMined(hash: string, upTo: number): Mined | null {
    const blockNumber = blocks.findIndex((block) => block.some((sent) => sent.hash === hash));
    if (blockNumber === -1 || blockNumber > upTo) return null;
    return { isSuccess: true, blockNumber, blockHash: `0x${blockNumber}`, cost: 1n };
  }

  const transactor: Transactor = {
    replaces: 'afterExpiry',
    prepare: async (_, requests) => ({
      balance: 10n ** 18n,
      offers: requests.map(() => ({
        units: 1n,
        price: { maxFee: 1n, tip: null },
        cost: 1n,
        place: { anchor: String(head() + validBlocks) },
      })),
    }),
    build({ call, place, unique }) {
      if (!('anchor' in place)) throw new Error('It stands on no block.');
      const sent = {
        hash: `0x${unique}_${place.anchor}`,
        data: call.data,
        intent: unique / 10_000n,
        validUntil: Number(place.anchor),
      };
      return {
        payloads: [new Uint8Array(32).fill(1)],
        finish([signature]) {
          if (signature?.bytes.length !== 64) throw new Error('It is not signed.');
          signed.push(sent);
          return { hash: sent.hash, raw: sent.hash, validUntil: sent.validUntil };
        },
      };
    },
    async broadcast(raws) {
      for (const raw of raws) {
        const sent = signed.find(({ hash }) => hash === raw)!;
        // What was signed in a transaction that was rolled back is never sent, and counts for nothing.
        for (const { intent, hash, validUntil } of broadcast)
          if (intent === sent.intent && hash !== raw && validUntil >= final) overlaps.push(sent);
        broadcast.add(sent);
        if (!isDeaf && !pool.includes(sent) && random.chance(0.5)) pool.push(sent);
      }
      return raws.map(() => ({ outcome: 'accepted' as const }));
    },
    async progress(sent) {
      if (isLying) return { head: 10 ** 9, final: 10 ** 9, mined: sent.map(() => null) };
      const seen = Math.max(0, head() - (random.chance(0.2) ? 1 + random.below(3) : 0));
      return {
        head: seen,
        final: seen - confirmations,
        mined: sent.map(({ hash }) => findMined(hash, seen)),
      };
    },
    findExpired: async (sent) =>
      sent.map(({ hash, validUntil }) => {
        const mined = findMined(hash, head());
        if (mined) return { mined, head: head() };
        return Number(validUntil) < final ? 'expired' : 'open';
      }),
    checkTerms: async () => undefined,
    findFailure: async () => undefined,
  };

  return {
    transactor,
    confirmations,
    overlaps,
    signed,
    /** From now on, or not any more, it takes nothing that is sent. */
    setDeaf(deaf: boolean) {
      isDeaf = deaf;
    },
    /** From now on, or not any more, the first of its nodes knows of no transaction and calls everything final. */
    setLying(lying: boolean) {
      isLying = lying;
    },
    mine() {
      const number = blocks.length;
      // What is sent again because a late node did not show it is not taken twice.
      const included = new Set(blocks.flat());
      pool = [...new Set(pool)].filter((sent) => !included.has(sent));
      const taken = pool.filter(({ validUntil }) => validUntil >= number && random.chance(0.6));
      pool = pool.filter((sent) => !taken.includes(sent) && sent.validUntil >= number);
      blocks.push(taken);
      final = Math.max(final, head() - confirmations);
    },
    /** Takes back the newest blocks, none that is final. */
    fork() {
      for (let count = 1 + random.below(confirmations); count > 0 && head() > final; count--)
        pool.push(...blocks.pop()!.filter(() => random.chance(0.5)));
    },
    /** The data of every call that is in a block. */
    mined: () => blocks.flat().map(({ data }) => data),
  };
}
