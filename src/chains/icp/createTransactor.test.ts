import { IDL } from '@icp-sdk/core/candid';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addLedger, canisterId } from '../../../testing/icp/ledgerCanister.ts';
import { type Replica, startReplica } from '../../../testing/icp/startReplica.ts';
import type { ConnectedClient } from '../chainClient.ts';
import { chains, withNetwork } from '../chains.ts';
import type { ExpiringTransactor, Signature, Signed } from '../transactor.ts';
import { createIcpClient } from './createIcpClient.ts';
import { icpLedgerId } from './createLedger.ts';
import { icpActions } from './icpActions.ts';
import { icpRules } from './icpRules.ts';

type Key = { address: string; sign(payload: Uint8Array): Signature };
const edSecret = new Uint8Array(32).fill(3);
const edKey: Key = {
  address: icpRules.signing!.addressOf(ed25519.getPublicKey(edSecret), chains.icp),
  sign: (payload) => ({
    bytes: ed25519.sign(payload, edSecret),
    yParity: 0,
    publicKey: ed25519.getPublicKey(edSecret),
  }),
};
const ecSecret = new Uint8Array(32).fill(5);
const ecKey: Key = {
  address: icpRules.signing!.addressOf(secp256k1.getPublicKey(ecSecret, false), chains.icp),
  sign: (payload) => ({
    bytes: secp256k1.sign(sha256(payload), ecSecret, { prehash: false }),
    yParity: 0,
    publicKey: secp256k1.getPublicKey(ecSecret, false),
  }),
};
const terms = { price: 'market', limit: null, tip: null, maxPrice: null };
const bob = 'w7x7r-cok77-xa';
const vaultId = canisterId(9);
const abi = [{ candid: 'service : { pause : (record { why : text; level : nat8 }) -> () }' }];

describe('calls on the Internet Computer', () => {
  let replica: Replica;
  let icp: ReturnType<typeof addLedger>;
  let client: ConnectedClient;
  let transactor: ExpiringTransactor;
  let clock = 0;
  let unique = 10_001n;
  const paused: unknown[] = [];

  beforeAll(async () => {
    replica = await startReplica();
    icp = addLedger(replica, icpLedgerId, { kind: 'icp', symbol: 'ICP' });
    icp.mint(edKey.address, 1_000_000n);
    icp.mint(ecKey.address, 1_000_000n);
    replica.canisters.set(vaultId, {
      controllers: [ecKey.address],
      moduleHash: null,
      methods: {
        pause: {
          args: [IDL.Record({ why: IDL.Text, level: IDL.Nat8 })],
          results: [],
          run: ([arg]: [never], { caller }) => {
            if (caller !== edKey.address) throw new Error('Only the guard may pause.');
            paused.push(arg);
            return [];
          },
        },
      },
    });
    client = createIcpClient({
      chain: withNetwork(chains.icp, replica.rootKey),
      urls: [replica.url],
      now: () => Date.now() + clock,
      onCall: () => {},
    });
    transactor = client.transactor as ExpiringTransactor;
  });
  afterAll(async () => {
    await client.close();
    await replica.stop();
  });

  async function sign(
    { address, sign: make }: Key,
    to: string,
    name: string,
    values: unknown[],
  ): Promise<Signed & { from: string; signedAt: number; place: { anchor: string } }> {
    const item = icpActions.parseFunction(name, abi);
    const call = icpActions.encode(
      item,
      values.map((value, place) => icpActions.readValue(item.inputs[place]!, value)),
      to,
    );
    const { offers } = await transactor.prepare(address, [{ ...call, terms }], []);
    const [offer] = offers;
    if (!offer || !('place' in offer)) throw new Error(JSON.stringify(offer));
    const unsigned = transactor.build({
      from: address,
      call,
      units: offer.units,
      price: offer.price,
      place: offer.place,
      unique,
    });
    return {
      ...unsigned.finish(unsigned.payloads.map(make)),
      from: address,
      signedAt: Date.now() + clock,
      place: { anchor: '' },
    };
  }

  it.each([
    ['Ed25519', edKey],
    ['secp256k1', ecKey],
  ])('pays on the ledger of ICP with a key of %s, and says what it cost', async (_curve, key) => {
    const sent = await sign(key, icpLedgerId, 'icrc1_transfer', [bob, '200000']);
    expect(await transactor.broadcast([sent.raw, sent.raw])).toEqual([
      { outcome: 'accepted' },
      { outcome: 'accepted' },
    ]);
    const { mined, final, head } = await transactor.progress([sent]);
    expect(mined[0]).toMatchObject({ isSuccess: true, cost: 210_000n, blockNumber: head });
    expect(final).toBeLessThan(sent.validUntil!);
    expect(await transactor.findExpired([sent])).toMatchObject([{ mined: { isSuccess: true } }]);
    expect(icp.balanceOf(key.address)).toBe(790_000n);
  });

  it('makes a lost call again only when the certified time lies beyond its expiry', async () => {
    replica.isLosing = true;
    unique += 10_000n;
    const lost = await sign(edKey, icpLedgerId, 'icrc1_transfer', [bob, '1000']);
    expect(await transactor.broadcast([lost.raw])).toEqual([{ outcome: 'accepted' }]);
    expect(await transactor.findExpired([lost])).toEqual(['open']);
    expect((await transactor.progress([lost])).mined).toEqual([null]);
    // The state of the network two minutes later, and of one node that is not as far.
    replica.lagMs = -130_000;
    expect(await transactor.findExpired([lost])).toEqual(['expired']);
    replica.lagMs = 0;
    expect(await transactor.findExpired([lost])).toEqual(['open']);
    replica.isLosing = false;
    clock = -130_000;
    unique++;
    const late = await sign(edKey, icpLedgerId, 'icrc1_transfer', [bob, '1000']);
    clock = 0;
    expect(await transactor.broadcast([late.raw])).toEqual([{ outcome: 'stale' }]);
  });

  it('finds a transfer in its ledger when the network has forgotten the call, and claims nothing of others', async () => {
    unique += 10_000n;
    const sent = await sign(edKey, icpLedgerId, 'icrc1_transfer', [bob, '5000']);
    const other = await sign(edKey, vaultId, 'pause', [{ why: 'x', level: 1 }]);
    await transactor.broadcast([sent.raw]);
    replica.forget();
    clock = 600_000;
    replica.lagMs = -290_000;
    const past = { ...sent, signedAt: sent.signedAt, validUntil: Date.now() };
    expect((await transactor.progress([past])).mined[0]).toMatchObject({ isSuccess: true, cost: 15_000n });
    const [unknown] = (await transactor.progress([other])).mined;
    expect(unknown).toMatchObject({ isSuccess: false });
    const why = await transactor.findFailure(edKey.address, { to: vaultId, data: '' }, unknown!.blockNumber);
    expect(why?.reason).toContain('five minutes');
    clock = 0;
    replica.lagMs = 0;
  });

  it('calls methods by their Candid, stops canisters for their controllers, and says why a call fails', async () => {
    const call = await sign(edKey, vaultId, 'pause', [{ why: 'drain', level: 3 }]);
    await transactor.broadcast([call.raw]);
    expect((await transactor.progress([call])).mined[0]).toMatchObject({ isSuccess: true, cost: 0n });
    expect(paused).toEqual([{ why: 'drain', level: 3 }]);
    unique++;
    const refused = await sign(ecKey, vaultId, 'pause', [{ why: 'drain', level: 3 }]);
    await transactor.broadcast([refused.raw]);
    const { mined } = await transactor.progress([refused]);
    expect(mined[0]).toMatchObject({ isSuccess: false });
    expect(
      await transactor.findFailure(ecKey.address, { to: vaultId, data: '' }, mined[0]!.blockNumber),
    ).toEqual({
      reason: 'Only the guard may pause.',
      data: '',
    });
    await expect(sign(edKey, vaultId, 'stop_canister', [])).rejects.toThrow('no controller');
    await expect(sign(edKey, icpLedgerId, 'icrc1_transfer', [bob, '999999999'])).rejects.toThrow(
      'needsFunds',
    );
    const stop = await sign(ecKey, vaultId, 'stop_canister', []);
    await transactor.broadcast([stop.raw]);
    expect((await transactor.progress([stop])).mined[0]).toMatchObject({ isSuccess: true });
    expect(replica.canisters.get(vaultId)!.isStopped).toBe(true);
  });
});
