import { Actor, CanisterStatus, HttpAgent } from '@icp-sdk/core/agent';
import { IDL } from '@icp-sdk/core/candid';
import { Ed25519KeyIdentity } from '@icp-sdk/core/identity';
import { Principal } from '@icp-sdk/core/principal';
import { hexToBytes } from '@noble/hashes/utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addLedger, canisterId } from '../../../testing/icp/ledgerCanister.ts';
import { type Replica, startReplica } from '../../../testing/icp/startReplica.ts';
import { watched } from '../../../testing/watched.ts';
import { accountIdentifier, readAccount, showAccount } from '../../codecs/icp/accounts.ts';
import { candidView } from '../../codecs/icp/candidView.ts';
import type { ConnectedClient } from '../chainClient.ts';
import { chains, withNetwork } from '../chains.ts';
import { createIcpClient } from './createIcpClient.ts';
import { icpLedgerId } from './createLedger.ts';
import { endpointFault } from './icpProtocol.ts';
import { ledgerTypes } from './ledgerTypes.ts';

const [alice, bob] = ['em77e-bvlzu-aq', 'w7x7r-cok77-xa'];
const tokenId = canisterId(7);
const plainId = canisterId(9);
type View = NonNullable<ReturnType<typeof candidView>>;
type Views = [View, View, View];

describe('the Internet Computer', () => {
  let replica: Replica;
  let other: Replica;
  let icp: ReturnType<typeof addLedger>;
  let token: ReturnType<typeof addLedger>;
  let client: ConnectedClient;
  let clock = 0;

  beforeAll(async () => {
    [replica, other] = [await startReplica(), await startReplica()];
    icp = addLedger(replica, icpLedgerId, {
      kind: 'icp',
      symbol: 'ICP',
      archive: { id: canisterId(20), length: 2 },
    });
    token = addLedger(replica, tokenId, {
      kind: 'icrc',
      symbol: 'ckTEST',
      decimals: 6,
      archive: { id: canisterId(21), length: 1 },
    });
    replica.canisters.set(plainId, {
      controllers: [bob, alice],
      moduleHash: Buffer.alloc(32, 7),
      methods: {},
    });
    client = createIcpClient({
      chain: withNetwork(chains.icp, replica.rootKey),
      urls: [replica.url],
      // Ahead of the network, so that a second need not be over here to be complete there.
      now: () => Date.now() + clock,
      onCall: () => {},
    });
  });
  afterAll(async () => {
    await client.close();
    await Promise.all([replica.stop(), other.stop()]);
  });

  it('is a replica that the official agent accepts', async () => {
    const agent = await HttpAgent.create({
      host: replica.url,
      rootKey: hexToBytes(replica.rootKey),
      identity: Ed25519KeyIdentity.generate(),
    });
    const types = ledgerTypes(IDL);
    const service = () =>
      IDL.Service({
        icrc1_symbol: IDL.Func([], [IDL.Text], ['query']),
        icrc1_transfer: IDL.Func([types.icrc1_transfer.args[0]!], [types.icrc1_transfer.results[0]!], []),
      });
    const actor = Actor.createActor<{
      icrc1_symbol(): Promise<string>;
      icrc1_transfer(arg: unknown): Promise<unknown>;
    }>(service, { agent, canisterId: tokenId });
    expect(await actor.icrc1_symbol()).toBe('ckTEST');
    const none: [] = [];
    const arg = {
      to: { owner: Principal.fromText(alice), subaccount: none },
      amount: 5n,
      fee: none,
      memo: none,
      from_subaccount: none,
      created_at_time: none,
    };
    expect(await actor.icrc1_transfer(arg)).toEqual({ Err: { InsufficientFunds: { balance: 0n } } });
    const status = await CanisterStatus.request({
      canisterId: Principal.fromText(plainId),
      agent,
      paths: ['controllers'],
    });
    expect((status.get('controllers') as Principal[]).map(String)).toEqual([bob, alice]);
  });

  it('reads each second whole, from archives too, with account identifiers turned back', async () => {
    const sub = showAccount({
      ...readAccount(alice)!,
      subaccount: Uint8Array.from({ length: 32 }, (_, at) => (at === 31 ? 5 : 0)),
    });
    icp.mint(alice, 100n);
    icp.mint(bob, 7n);
    icp.move(alice, bob, 40n);
    token.mint(sub, 9n);
    token.move(sub, bob, 3n);
    token.burn(bob, 1n);
    const [first, last] = [icp.entries[0]!, token.entries[2]!].map(({ at }) =>
      Number(at / 1_000_000_000n),
    ) as [number, number];
    clock = 3000;
    replica.lagMs = -3000;
    const watch = watched(alice, bob, tokenId);
    const all = [];
    for (let number = first; number <= last; number++) {
      const block = await client.block(number);
      expect(block).toMatchObject({
        hash: `icp-${number}`,
        parentHash: `icp-${number - 1}`,
        timestamp: number * 1000,
      });
      all.push(...(await client.detail!(block!, watch)).transactions);
    }
    expect(all.map(({ hash, transfers }) => [hash, transfers[0]])).toEqual([
      [`${icpLedgerId}_0`, { asset: 'native', from: null, to: alice, amount: 100n }],
      [`${icpLedgerId}_1`, { asset: 'native', from: null, to: bob, amount: 7n }],
      [`${icpLedgerId}_2`, { asset: 'native', from: alice, to: bob, amount: 40n }],
      [`${tokenId}_0`, { asset: tokenId, from: null, to: sub, amount: 9n }],
      [`${tokenId}_1`, { asset: tokenId, from: sub, to: bob, amount: 3n }],
      [`${tokenId}_2`, { asset: tokenId, from: bob, to: null, amount: 1n }],
    ]);
    expect([...all[4]!.parties!.others!]).toEqual(expect.arrayContaining([alice, sub, bob, tokenId]));
    expect(await client.blockOfTransaction(`${tokenId}_1`)).toBe(
      Number(token.entries[1]!.at / 1_000_000_000n),
    );
    expect(await client.blockOfTransaction(`${tokenId}_99`)).toBeNull();

    // Without a watched account the ledger's own hash stands there, and those who watch it see it too.
    const hash = accountIdentifier(readAccount(alice)!);
    const at = Number(icp.entries[2]!.at / 1_000_000_000n);
    const moved = async (...addresses: string[]) =>
      (await client.detail!((await client.block(at))!, watched(...addresses))).transactions
        .filter((each) => each.hash === `${icpLedgerId}_2`)
        .map(({ from, part }) => [from, part]);
    expect(await moved(hash)).toEqual([[hash, undefined]]);
    expect(await moved(hash, alice)).toEqual([
      [alice, undefined],
      [hash, 'account identifier'],
    ]);
  });

  it('gives no second before the ledgers that are followed are certified to be beyond it', async () => {
    const now = Math.floor(Date.now() / 1000) + 2;
    replica.lagMs = 30_000;
    // Further ahead than what was looked at last.
    clock = 10_000;
    expect(await client.block(now + 7)).toBeNull();
    replica.lagMs = -10_000;
    clock = 14_000;
    expect(await client.block(now + 7)).not.toBeNull();
  });

  it('reads balances, tokens, controllers and code', async () => {
    const at = { number: 1, hash: '' };
    const results = await client.readState(at, [
      { type: 'balance', address: alice },
      { type: 'balance', address: accountIdentifier(readAccount(bob)!) },
      { type: 'holding', asset: tokenId, holder: bob },
      { type: 'supply', asset: tokenId },
      { type: 'decimals', asset: tokenId },
      { type: 'symbol', asset: tokenId },
      { type: 'storage', address: plainId, key: 'controllers' },
      { type: 'storage', address: plainId, key: 'module_hash' },
      { type: 'decimals', asset: plainId },
    ]);
    expect(results.slice(0, 8).map((each) => 'value' in each && each.value)).toEqual([
      60n,
      47n,
      2n,
      8n,
      6,
      'ckTEST',
      `${alice}, ${bob}`,
      `0x${'07'.repeat(32)}`,
    ]);
    expect(results[8]).toMatchObject({ missing: expect.stringContaining('icrc1_decimals') });
  });

  it('reads queries of canisters, and the interface that one carries', async () => {
    const id = canisterId(40);
    const nat = { args: [IDL.Nat], results: [IDL.Nat], isQuery: true };
    const candid =
      'service : { double : (nat) -> (nat) query; trap : (nat) -> (nat) query; odd : (nat) -> (bool) query }';
    replica.canisters.set(id, {
      controllers: [alice],
      moduleHash: null,
      candid,
      methods: {
        double: { ...nat, run: ([value]: [bigint]) => [value * 2n] },
        odd: { ...nat, run: ([value]: [bigint]) => [value] },
        trap: {
          ...nat,
          run: () => {
            throw new Error('trapped on purpose');
          },
        },
      },
    });
    const abi = (await client.findInterface!(id))!;
    expect(abi).toEqual([{ candid }]);
    const [double, odd, trap] = ['double', 'odd', 'trap'].map((name) => candidView(name, abi)) as Views;
    const ask = (to: string, { encode }: Views[0]) => ({ type: 'call' as const, to, data: encode(['21']) });
    const results = await client.readState({ number: 1, hash: '' }, [
      ask(id, double),
      ask(id, odd),
      ask(id, trap),
      ask(alice, double),
    ]);
    expect(results).toEqual([
      { value: { data: '["42"]' } },
      { value: { failure: expect.stringContaining('not of the types') } },
      { value: { failure: expect.stringContaining('trapped on purpose') } },
      { value: { failure: `${alice} is no canister` } },
    ]);
    expect(double.decode('["42"]')).toEqual([42n]);
    // What only controllers may see is no fault of the node.
    replica.canisters.get(id)!.candid = { private: candid };
    expect(await client.findInterface!(id)).toBeUndefined();
    expect(await client.findInterface!(plainId)).toBeUndefined();
    expect(client.health()[0]).toMatchObject({ state: 'ok' });
  });

  it('refuses what it cannot prove, and networks with another root key', async () => {
    for (const fault of ['certificate', 'signature', 'down'] as const) {
      replica.fault = fault;
      const fresh = createIcpClient({
        chain: withNetwork(chains.icp, replica.rootKey),
        urls: [replica.url],
        now: Date.now,
        onCall: () => {},
      });
      await expect(
        fresh.readState({ number: 1, hash: '' }, [{ type: 'balance', address: alice }]),
      ).rejects.toThrow({ certificate: /[Ss]ignature/, signature: /[Ss]ignature/, down: /503/ }[fault]);
      expect(fresh.health()[0]).toMatchObject({ state: 'failing' });
      await fresh.close();
    }
    replica.fault = undefined;
    expect(await endpointFault(other.url, withNetwork(chains.icp, replica.rootKey))).toContain('root key');
    expect(await endpointFault(replica.url, withNetwork(chains.icp, replica.rootKey))).toBeUndefined();
  });
});
