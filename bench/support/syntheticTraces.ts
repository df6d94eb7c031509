import { createSeededRandom, type SeededRandom } from '../../testing/seededRandom.ts';
import type { SimBlock } from '../../testing/simulator/buildBlock.ts';

type WireTransaction = { hash: string; from: string; to: string; value: string; input: string };

/** Frames within a transaction that calls a contract; with those of payments a block has some 2,000, as on mainnet. */
const innerFrames = 16;
const templates = 64;

/**
 * What a node answers to `debug_traceBlockByHash` for the blocks of a made-up mainnet. Each address in `entered` is entered again
 * in one transaction of every block, before it returns. The texts are put together from parts, so that tracing costs the node little.
 */
export function createSyntheticTraces(seed: number, entered: readonly string[]) {
  const random = createSeededRandom(seed);
  const inner = Array.from({ length: templates }, () => JSON.stringify(calls(random, innerFrames)));
  const reentries = entered.map((address) => JSON.stringify(reenter(random, address)));

  return (block: SimBlock): string => {
    const { transactions } = JSON.parse(block.json.toString()) as { transactions: WireTransaction[] };
    const traces = transactions.map(({ hash, from, to, value, input }, place) => {
      const within = reentries[place] ?? (input === '0x' ? '[]' : inner[(block.number + place) % templates]);
      const root = JSON.stringify({
        from,
        gas: '0x7a120',
        gasUsed: '0x5208',
        to,
        input,
        value,
        type: 'CALL',
      });
      return `{"txHash":"${hash}","result":${root.slice(0, -1)},"calls":${within}}}`;
    });
    return `[${traces.join(',')}]`;
  };
}

type WireFrame = Record<string, unknown> & { calls?: WireFrame[] };

/** Half of them within each other, as routers, pools and tokens call. */
function calls(random: SeededRandom, count: number): WireFrame[] {
  const all: WireFrame[] = [];
  let open: WireFrame[] = all;
  for (let n = 0; n < count; n++) {
    const made: WireFrame = frame(random, `0x${random.hex(40)}`);
    open.push(made);
    if (random.next() < 0.5) open = made.calls = [];
    else if (random.next() < 0.3) open = all;
  }
  return all;
}

function frame(random: SeededRandom, to: string, input = `0x${random.hex(8 + 64 * 3)}`): WireFrame {
  return {
    from: `0x${random.hex(40)}`,
    gas: '0x4c4b40',
    gasUsed: '0x1d4c0',
    to,
    input,
    output: `0x${random.hex(64)}`,
    value: '0x0',
    type: random.pick(['CALL', 'CALL', 'STATICCALL', 'DELEGATECALL']),
  };
}

function reenter(random: SeededRandom, address: string): WireFrame[] {
  const thief = `0x${random.hex(40)}`;
  const enter = (within: WireFrame[]): WireFrame => ({
    ...frame(random, address, `0x2e1a7d4d${'0'.repeat(64)}`),
    from: thief,
    type: 'CALL',
    calls: within,
  });
  // A guard refuses it, which is reported with nothing else to be read.
  const refused = { ...enter([]), error: 'execution reverted' };
  return [enter([{ ...frame(random, thief), from: address, type: 'CALL', calls: [refused] }])];
}
