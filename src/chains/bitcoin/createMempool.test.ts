import { expect, it } from 'vitest';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { createMempool } from './createMempool.ts';
import { toAddress } from './script.ts';

const scripts = [1, 2].map((byte) => `0014${`0${byte}`.repeat(20)}`);
const [mine = '', yours = ''] = scripts.map((script) => String(toAddress(script)));
const output = (place: number) => ({
  value: 1,
  scriptPubKey: { hex: scripts[place], address: [mine, yours][place] },
});
const id = (number: number) => number.toString(16).padStart(13, '0').padEnd(64, 'f');

/** A node with transactions that spend the first output of their parent: number 0 is in a block. */
function startNode() {
  const pool = new Map<string, { parent: string; to: number }>();
  const calls: RpcCall[] = [];
  const answer = ({ method, params }: RpcCall): RpcReply => {
    const [first] = params as [string];
    if (method === 'getrawmempool') return { result: [...pool.keys()] };
    if (method === 'gettxout') return { result: first === id(0) ? output(1) : null };
    if (method === 'gettxspendingprevout')
      return {
        result: (params as [{ txid: string; vout: number }[]])[0].map(({ txid, vout }) => {
          const spender = [...pool].find(([, { parent }]) => parent === txid)?.[0];
          return { txid, vout, ...(spender && { spendingtxid: spender }) };
        }),
      };
    const found = pool.get(first);
    return found
      ? {
          result: {
            txid: first,
            vin: [{ txid: found.parent, vout: 0 }],
            vout: [output(found.to)],
            vsize: 100,
          },
        }
      : { error: { code: -5, message: 'No such mempool transaction.' } };
  };
  let time = 0;
  const find = createMempool(
    {
      request: async (asked, accept) => {
        calls.push(...asked);
        return accept(asked.map(answer), () => {});
      },
    },
    () => time,
  );
  return {
    pool,
    calls,
    ids: async (address: string, inputs: readonly string[] = []) => {
      time += 1000;
      const [found = []] = await find([{ address, inputs }]);
      return found.map(({ hash }) => hash).sort();
    },
    examined: () => calls.filter(({ method }) => method === 'getrawtransaction').length,
  };
}

it('finds what waits for an address, and what spends an output, no matter who gets it', async () => {
  const node = startNode();
  node.pool.set(id(1), { parent: id(0), to: 0 });
  node.pool.set(id(2), { parent: id(1), to: 1 });
  expect(await node.ids(mine)).toEqual([id(1), id(2)]);
  node.pool.delete(id(2));
  node.pool.delete(id(1));
  node.pool.set(id(3), { parent: id(0), to: 1 });
  expect(await node.ids(mine)).toEqual([]);
  expect(await node.ids(mine, [`${id(0)}:0`])).toEqual([id(3)]);
  expect(await node.ids(yours)).toEqual([id(3)]);
});

it('looks at each transaction once, at so many after each list, and at new ones first', async () => {
  const node = startNode();
  for (let number = 1; number <= 2500; number++) node.pool.set(id(number), { parent: id(0), to: 1 });
  node.pool.set(id(2501), { parent: id(0), to: 0 });
  expect(await node.ids(mine)).toEqual([]);
  expect(node.examined()).toBe(1000);
  node.pool.set(id(9000), { parent: id(0), to: 0 });
  expect(await node.ids(mine)).toEqual([id(9000)]);
  expect(node.examined()).toBe(2000);
  expect(await node.ids(mine)).toEqual([id(2501), id(9000)]);
  expect(await node.ids(mine)).toEqual([id(2501), id(9000)]);
  expect(node.examined()).toBe(2502);
});

it('asks for the list no more often however many ask', async () => {
  const node = startNode();
  await Promise.all([node.ids(mine), node.ids(mine), node.ids(yours)]);
  expect(node.calls.filter(({ method }) => method === 'getrawmempool').length).toBeLessThanOrEqual(3);
});
