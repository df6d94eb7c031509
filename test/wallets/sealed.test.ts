import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { TxEnvelopeEip1559, TxEnvelopeLegacy } from 'ox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/chains/evm/buildTransaction.ts';
import { sql } from '../../src/lib/sql.ts';
import { openSigner, type Signer } from '../../src/wallets/openSigner.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { expectSignature } from './support/expectSignature.ts';
import { signEnvelope } from './support/signEnvelope.ts';

let api: TestApi;
let anvil: Anvil;
let tenantId: number;
let walletId: number;
let signer: Signer;

beforeAll(async () => {
  [api, anvil] = await Promise.all([startTestApi(), startAnvil()]);
  tenantId = (await createWorld(api)).tenant.id;
  walletId = (await api.ok('POST', 'wallet', { tenantId, name: 'Guardian', chainUid: 'anvil' })).id;
  signer = await open();
  await anvil.setBalance(signer.address, 10n ** 20n);
});
afterAll(() => Promise.all([api.stop(), anvil.stop()]));

function open(address?: string): Promise<Signer> {
  const { store: db, keyring, hsm } = api.services;
  return openSigner({ db, keyring, hsm }, { tenantId, walletId }, address);
}

const to = '0x00000000000000000000000000000000000000aa';

describe('a wallet with a sealed key', () => {
  it('signs EIP-1559 and legacy transactions that a node takes, and the sender is the wallet', async () => {
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    const envelopes: Envelope[] = [
      { type: 'eip1559', chainId: 31_337, nonce: 0n, to, value: 5n, gas: 21_000n, ...fees },
      { type: 'legacy', chainId: 31_337, nonce: 1n, to, value: 7n, gas: 21_000n, gasPrice: 10n ** 10n },
      { type: 'eip1559', chainId: 31_337, nonce: 2n, to, data: '0x1234', gas: 50_000n, ...fees },
    ];
    for (const envelope of envelopes) {
      const signed = await signEnvelope(signer, envelope);
      expect(await signEnvelope(signer, envelope)).toEqual(signed);
      expect(await anvil.rpc('eth_sendRawTransaction', signed.raw)).toBe(signed.hash);
      const receipt = await anvil.receipt(signed.hash);
      const mined = await anvil.rpc<{ from: string; chainId: string }>(
        'eth_getTransactionByHash',
        signed.hash,
      );
      expect(receipt.status).toBe('success');
      expect(mined.from).toBe(signer.address.toLowerCase());
      expect(Number(mined.chainId)).toBe(31_337);
    }
    expect(await anvil.balance(to)).toBe(12n);
  });

  it('signs what it was given: every member comes back out of the bytes', async () => {
    const envelope = { chainId: 1, nonce: 9n, to, value: 3n, gas: 21_000n, data: '0xabcd' } as const;
    const legacy = { ...envelope, type: 'legacy', gasPrice: 8n } as const;
    const modern = { ...envelope, type: 'eip1559', maxFeePerGas: 9n, maxPriorityFeePerGas: 2n } as const;
    const { raw: legacyRaw } = await signEnvelope(signer, legacy);
    expect(TxEnvelopeLegacy.deserialize(legacyRaw)).toMatchObject({ ...legacy });
    const { raw } = await signEnvelope(signer, modern);
    if (!raw.startsWith('0x02')) throw new Error('This is no EIP-1559 transaction.');
    expect(TxEnvelopeEip1559.deserialize(raw as TxEnvelopeEip1559.Serialized)).toMatchObject({ ...modern });
  });

  it('refuses a transaction that could be sent on any chain', async () => {
    const envelope = { type: 'legacy', chainId: 0, nonce: 0n, gasPrice: 1n, gas: 21_000n, to } as const;
    await expect(signEnvelope(signer, envelope)).rejects.toThrow('needs a chain id');
  });

  it('makes 200 signatures at once, each low in s and of its own address', async () => {
    const hashes = Array.from({ length: 200 }, () => randomBytes(32));
    const begun = performance.now();
    const signatures = await Promise.all(hashes.map((hash) => signer.sign(hash)));
    console.info(
      `sealed key: ${((performance.now() - begun) / 200).toFixed(2)} ms for a signature, 200 at once`,
    );
    for (const [n, signature] of signatures.entries()) expectSignature(signature, hashes[n]!, signer.address);
  });

  it('does not sign with a key that was swapped or damaged', async () => {
    const other = (await api.ok('POST', 'wallet', { tenantId, name: 'Other', chainUid: 'anvil' })).id;
    const [own] = await api.store.query<{ key: Buffer }>(
      sql`select sealed_key as key from wallet where id = ${walletId}`,
    );
    const set = (key: Buffer) =>
      api.store.query(sql`update wallet set sealed_key = ${key} where id = ${walletId}`);
    try {
      await api.store.query(
        sql`update wallet set sealed_key = (select sealed_key from wallet where id = ${other}) where id = ${walletId}`,
      );
      await expect((await open()).sign(randomBytes(32))).rejects.toThrow();
      const damaged = Buffer.from(own!.key);
      damaged[damaged.length - 20]! ^= 1;
      await set(damaged);
      await expect((await open()).sign(randomBytes(32))).rejects.toThrow();
      const box = api.services.keyring.seal(
        { tenantId, kind: 'wallet', id: walletId, member: 'privateKey' },
        '11'.repeat(32),
      );
      await set(box);
      await expect((await open()).sign(randomBytes(32))).rejects.toThrow('belongs to another address');
    } finally {
      await set(own!.key);
    }
    expectSignature(await (await open()).sign(Buffer.alloc(32, 1)), Buffer.alloc(32, 1), signer.address);
  });

  it('signs with the curve that the key names, where a family has two', async () => {
    const other = await api.ok('POST', 'wallet', { tenantId, name: 'S', chainUid: 'icp' });
    const { store: db, keyring } = api.services;
    const signer = await openSigner({ db, keyring, hsm: undefined }, { tenantId, walletId: other.id });
    expect(signer.address).toBe(other.address);
    const { bytes, publicKey } = await signer.sign(Buffer.from('a message'));
    expect(ed25519.verify(bytes, Buffer.from('a message'), publicKey)).toBe(true);
  });

  it('says why it cannot sign: no such key', async () => {
    await expect(open(to)).rejects.toThrow(`There is no key of wallet ${walletId} for ${to}.`);
    const { store: db, keyring } = api.services;
    await expect(
      openSigner({ db, keyring, hsm: undefined }, { tenantId: tenantId + 999, walletId }),
    ).rejects.toThrow('There is no key');
  });
});
