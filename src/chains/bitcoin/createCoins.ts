import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { listOf, recordOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import type { Scan } from './createScan.ts';
import { toSatoshis } from './decodeBlock.ts';
import type { Coin } from './payment.ts';
import { toScript } from './script.ts';

type KnownCoin = Coin & { height: number; isCoinbase: boolean };
/** The coins of an address after a block, by their outpoint. */
type State = { hash: string; coins: ReadonlyMap<string, KnownCoin> };

/** Blocks that are read one by one before a new scan is the quicker way; as many states are kept for forks. */
const maxSteps = 30;
const maxAddresses = 10_000;
/** New coins can be spent this many blocks later. */
const coinbaseDepth = 100;

/** The coins of wallets: an address is scanned once, and its coins then follow from the blocks that come, on whatever branch. */
export function createCoins({ request }: Endpoints, scan: Scan) {
  const known = createBoundedMap<string, State[]>(maxAddresses);

  const readHead = () =>
    request(
      [
        { method: 'getbestblockhash', params: [] },
        { method: 'getblockcount', params: [] },
      ],
      ([hash, height]) => ({ hash: String(resultOf(hash)), height: Number(resultOf(height)) }),
    );
  const readParent = (hash: string) =>
    request([{ method: 'getblockheader', params: [hash, true] }], ([reply]) =>
      String(recordOf(resultOf(reply)).previousblockhash),
    );

  /** The newest state on the branch of this block, and the blocks since then, oldest first. */
  async function findStart(hash: string, states: readonly State[]): Promise<[State, string[]] | undefined> {
    const since: string[] = [];
    for (let current = hash; since.length < maxSteps; current = await readParent(current)) {
      const state = states.find((candidate) => candidate.hash === current);
      if (state) return [state, since];
      if (states.length === 0) return undefined;
      since.unshift(current);
    }
    return undefined;
  }

  async function follow(address: string, state: State, hash: string): Promise<State> {
    const block = await request([{ method: 'getblock', params: [hash, 2] }], ([reply]) =>
      recordOf(resultOf(reply)),
    );
    const script = toScript(address);
    const coins = new Map(state.coins);
    for (const item of listOf(block.tx, 'tx')) {
      const { txid, vin, vout } = recordOf(item);
      const inputs = listOf(vin, 'vin').map(recordOf);
      for (const input of inputs) coins.delete(`${String(input.txid)}:${String(input.vout)}`);
      for (const output of listOf(vout, 'vout')) {
        const { n, value, scriptPubKey } = recordOf(output);
        if (recordOf(scriptPubKey).hex !== script) continue;
        const coin = { txid: String(txid), vout: Number(n), amount: toSatoshis(value) };
        const isCoinbase = inputs[0]?.coinbase !== undefined;
        coins.set(`${coin.txid}:${coin.vout}`, { ...coin, height: Number(block.height), isCoinbase });
      }
    }
    return { hash, coins };
  }

  async function scanOne(address: string): Promise<State> {
    const { hash, outputs } = await scan([address]);
    return { hash, coins: new Map(outputs.map((coin) => [`${coin.txid}:${coin.vout}`, coin])) };
  }

  return {
    /** Those that the wallet can spend after the newest block, the largest first. */
    async read(address: string): Promise<Coin[]> {
      const head = await readHead();
      const states = known.get(address) ?? [];
      const start = await findStart(head.hash, states);
      let [state, since] = start ?? [await scanOne(address), []];
      const reached = start ? states.slice(0, states.indexOf(state) + 1) : [state];
      for (const hash of since) {
        state = await follow(address, state, hash);
        reached.push(state);
      }
      known.set(address, reached.slice(-maxSteps));
      return [...state.coins.values()]
        .filter(({ isCoinbase, height }) => !isCoinbase || head.height - height + 1 >= coinbaseDepth)
        .map(({ txid, vout, amount }) => ({ txid, vout, amount }))
        .sort((left, right) => (left.amount < right.amount ? 1 : left.amount > right.amount ? -1 : 0));
    },
  };
}
