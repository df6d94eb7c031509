import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toAddress } from '../../src/chains/bitcoin/script.ts';
import { sql } from '../../src/lib/sql.ts';
import { type Bitcoind, findBitcoind, startBitcoind } from '../../testing/startBitcoind.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const command = findBitcoind();

describe('Bitcoin', () => {
  let node: Bitcoind;
  let vigil: TestWatch;
  /** A cold address of the node's wallet, as its own network writes it and as the main network does. */
  let own: string;
  let shown: string;

  beforeEach(({ skip }) => skip(!command, 'There is no bitcoind; `.ci/bitcoind` fetches one.'));
  beforeAll(async () => {
    if (!command) return;
    node = await startBitcoind(command);
    await node.mine(101);
    own = await node.address();
    const { scriptPubKey } = await node.rpc<{ scriptPubKey: string }>('getaddressinfo', own);
    shown = String(toAddress(scriptPubKey));
    vigil = await startTestWatch({ bitcoin: { urls: [node.url], confirmations: 1 } });
    const wallet = await vigil.addContract(shown, {
      chainUid: 'bitcoin',
      addressType: 'WALLET',
      name: 'Cold',
    });
    await vigil.addDetector(wallet, 'large_transfer', { threshold: '1' });
    await vigil.addDetector(wallet, 'utxo_spend');
    await vigil.addDetector(wallet, 'outflow_rate', { token: 'native', window: '1h', limit: '50%' });
    await vigil.addDetector(wallet, 'block_anomaly', { maxTransactions: 1 });
    await vigil.addDetector(wallet, 'wallet_balance', { trackAnyChange: true, when: 'block' });
    await vigil.addDetector(wallet, 'mempool_conflict', { cron: '1 s' });
    await vigil.ok('POST', 'trigger', {
      contractId: wallet,
      name: 'Coins',
      triggerType: 'NATIVE_TRANSFER',
      params: { direction: 'in' },
    });
    vigil.watch();
    await vigil.reached('bitcoin', await node.height());
  });
  afterAll(async () => {
    await vigil?.stop();
    await node?.stop();
  });

  const mined = async (blocks = 1) => {
    await node.mine(blocks);
    await vigil.reached('bitcoin', await node.height());
  };
  const raised = async (txHash: string) =>
    (await vigil.alerts(`txHash:${txHash}`)).map(
      ({ status, detectorSchemaName, triggerType, message }: Json) => ({
        status,
        kind: detectorSchemaName ?? triggerType,
        message,
      }),
    );

  /** What the wallet was seen to hold, in the order of the blocks. */
  const balances = async () =>
    (await vigil.alerts('detectorSchemaName:wallet_balance'))
      .sort((a, b) => a.blockNumber - b.blockNumber)
      .map(({ meta }) => meta.balance);

  /** The outputs of the cold address, in a form that allows another transaction to take the place of the one that spends them. */
  async function unspent(): Promise<Json[]> {
    const found = await node.rpc<Json[]>('listunspent', 0, 999, [own]);
    return found.map(({ txid, vout }) => ({ txid, vout, sequence: 0xfffffffd }));
  }

  async function spend(inputs: Json[], outputs: Json[]): Promise<string> {
    const raw = await node.rpc('createrawtransaction', inputs, outputs);
    const { hex } = await node.rpc<Json>('signrawtransactionwithwallet', raw);
    return node.rpc('sendrawtransaction', hex, 0);
  }

  it('raises alerts for coins that come and go, and takes them back with their block', async () => {
    const paid = await node.rpc('sendtoaddress', own, 2);
    await mined();
    expect(await raised(paid)).toEqual(
      expect.arrayContaining([
        {
          status: 'UNRESOLVED',
          kind: 'large_transfer',
          message: expect.stringContaining(`2 BTC moved from`),
        },
        { status: 'UNRESOLVED', kind: 'NATIVE_TRANSFER', message: expect.stringContaining(shown) },
      ]),
    );
    const inputs = await unspent();
    const spent = await spend(inputs, [{ [await node.address()]: 1.5 }, { [own]: 0.4999 }]);
    await mined();
    expect((await raised(spent)).map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
      'large_transfer UNRESOLVED',
      'outflow_rate UNRESOLVED',
      'utxo_spend UNRESOLVED',
    ]);
    expect(await balances()).toEqual(['2', '0.4999']);
    expect(await vigil.alerts('detectorSchemaName:block_anomaly')).toHaveLength(2);

    // Another branch, in which the coins go back to the address.
    await node.rpc('invalidateblock', await node.rpc('getbestblockhash'));
    const back = await spend(inputs, [{ [own]: 1.998 }]);
    await mined(2);
    expect(await raised(spent)).toEqual([]);
    expect(await vigil.alerts(`txHash:${spent} AND status:RETRACTED`)).toHaveLength(3);
    // Whether the two are seen to exclude each other before a block has one is a matter of time, and of the next test.
    const kept = (await raised(back)).filter(({ kind }) => kind !== 'mempool_conflict');
    expect(kept.map(({ kind, status }) => `${kind} ${status}`)).toEqual(['utxo_spend UNRESOLVED']);
    expect(await balances()).toEqual(['2', '1.998']);
  });

  it('reports a payment that is taken back while it waits, and one that a block takes back', async () => {
    const conflictsOf = async (replaced: string) =>
      (await vigil.alerts('detectorSchemaName:mempool_conflict'))
        .filter(({ meta }) => meta.kind === 'doubleSpend' && meta.replaced === replaced)
        .map(({ txHash, blockNumber }) => ({ txHash, blockNumber }));
    const states = () => vigil.store.query<{ state: string }>(sql`select state::text from watch_state`);
    const seen = (hash: string) =>
      until(async () => (await states()).some(({ state }) => state.includes(hash)));
    const less = (amount: number, by: number) => (amount - by).toFixed(8);
    // The sender pays the address, then itself with the same coins.
    const payTwice = async () => {
      const coins = await node.rpc<Json[]>('listunspent', 1, 9999, [], true, { minimumAmount: 10 });
      const { txid, vout, amount } = coins.find(({ address }) => address !== own) as Json;
      const input = [{ txid, vout, sequence: 0xfffffffd }];
      const paid = await spend(input, [{ [own]: less(amount, 0.0001) }]);
      await seen(paid);
      return { paid, input, amount };
    };
    const first = await payTwice();
    const second = await spend(first.input, [{ [await node.address()]: less(first.amount, 0.01) }]);
    await until(async () => (await conflictsOf(first.paid)).length > 0);
    expect(await conflictsOf(first.paid)).toEqual([{ txHash: second, blockNumber: null }]);
    await mined();

    // A block that no one saw coming.
    const late = await payTwice();
    const outputs = [{ [await node.address()]: less(late.amount, 0.01) }];
    const raw = await node.rpc('createrawtransaction', late.input, outputs);
    const { hex } = await node.rpc<Json>('signrawtransactionwithwallet', raw);
    await node.rpc('generateblock', await node.address(), [hex]);
    const height = await node.height();
    await vigil.reached('bitcoin', height);
    expect(await conflictsOf(late.paid)).toMatchObject([{ blockNumber: height }]);
  });

  it('shows the chain as followed, with its endpoint and without its password', async () => {
    const { data } = await vigil.ok('GET', 'chain');
    const chain = data.find(({ chainUid }: Json) => chainUid === 'bitcoin');
    expect(chain).toMatchObject({ family: 'bitcoin', followed: true, watchState: 'ok' });
    expect(JSON.stringify(data)).not.toContain('secret');
    const tried = await vigil.ok('POST', 'chain/bitcoin/endpoint/try', { url: node.url });
    expect(tried).toMatchObject({ fault: null, head: await node.height(), isArchive: true });
  });
});
