import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { Keypair } from '@stellar/stellar-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Envelope } from '../../src/chains/evm/buildTransaction.ts';
import { sql } from '../../src/lib/sql.ts';
import { destroyOrphanKeys } from '../../src/services/wallets/purgeWalletKeys.ts';
import { openSigner, type Signer } from '../../src/wallets/openSigner.ts';
import { type Hsm, openHsm } from '../../src/wallets/pkcs11/openHsm.ts';
import { Pkcs11Error } from '../../src/wallets/pkcs11/pkcs11Error.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { expectSignature } from './support/expectSignature.ts';
import { rawModule } from './support/rawModule.ts';
import { signEnvelope } from './support/signEnvelope.ts';
import { createSoftHsm, hasSoftHsm, makePipe, type SoftHsm, skipWithoutSoftHsm } from './support/softHsm.ts';

const timeLimitMs = 1500;

describe('a wallet with its key in a PKCS#11 module', () => {
  let token: SoftHsm;
  let hsm: Hsm;
  let api: TestApi;
  let anvil: Anvil;
  let tenantId: number;
  let wallet: Json;
  let signer: Signer;

  beforeEach(skipWithoutSoftHsm);
  beforeAll(async () => {
    if (!hasSoftHsm) return;
    token = await createSoftHsm();
    hsm = await openHsm({ ...token, timeLimitMs });
    [api, anvil] = await Promise.all([startTestApi({ hsm }), startAnvil()]);
    tenantId = (await createWorld(api)).tenant.id;
    wallet = await api.ok('POST', 'wallet', newWallet());
    signer = await open(wallet.id);
    await anvil.setBalance(signer.address, 10n ** 20n);
  });
  afterAll(async () => {
    if (!hasSoftHsm) return;
    await Promise.all([api.stop(), anvil.stop()]);
    await hsm.close();
    await token.remove();
  });

  function newWallet(more: Json = {}): Json {
    return { tenantId, name: 'Guardian', chainUid: 'anvil', type: 'HSM', ...more };
  }

  function open(walletId: number, address?: string): Promise<Signer> {
    return openSigner({ db: api.store, keyring: api.services.keyring, hsm }, { tenantId, walletId }, address);
  }

  async function expectWorks(): Promise<void> {
    const hash = randomBytes(32);
    expectSignature(await signer.sign(hash), hash, wallet.address);
  }

  it('has the address of its key, and no key outside the module', async () => {
    const [row] = await api.store.query<Json>(
      sql`select sealed_key as sealed, module_key_id as "keyId" from wallet where id = ${wallet.id}`,
    );
    expect(row).toEqual({ sealed: null, keyId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(wallet).toMatchObject({ type: 'HSM', chainUid: 'anvil' });
    expect(wallet.address).toMatch(/^0x[0-9a-fA-F]{40}$/);
    expect(JSON.stringify(await api.ok('GET', `wallet/${wallet.id}`))).not.toContain(row!.keyId);
    await expectWorks();
  });

  it('cannot be made to give the key out', async () => {
    const [value, sensitive] = [0x11, 0x11];
    const answers = rawModule(token.module).askPrivateKeys(value);
    expect(answers.length).toBeGreaterThan(0);
    expect(new Set(answers)).toEqual(new Set([sensitive]));
  });

  it('signs EIP-1559 and legacy transactions that a node takes, and the sender is the wallet', async () => {
    const to = '0x00000000000000000000000000000000000000bb';
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    const common = { chainId: 31_337, to, value: 5n, gas: 21_000n } as const;
    for (let nonce = 0n; nonce < 6n; nonce++) {
      const envelope: Envelope =
        nonce % 2n === 0n
          ? { ...common, type: 'eip1559', nonce, ...fees }
          : { ...common, type: 'legacy', nonce, gasPrice: 10n ** 10n };
      const signed = await signEnvelope(signer, envelope);
      expect(await anvil.rpc('eth_sendRawTransaction', signed.raw)).toBe(signed.hash);
      expect((await anvil.receipt(signed.hash)).status).toBe('success');
      const mined = await anvil.rpc<Json>('eth_getTransactionByHash', signed.hash);
      expect(mined.from).toBe(wallet.address.toLowerCase());
    }
    expect(await anvil.balance(to)).toBe(30n);
  });

  it('makes 200 signatures at once, each low in s and of its own address', async () => {
    const hashes = Array.from({ length: 200 }, () => randomBytes(32));
    const begun = performance.now();
    const raw = { label: `vigil-${tenantId}-${wallet.id}`, id: await keyId(wallet.id) };
    await Promise.all(hashes.map((hash) => hsm.sign(raw, hash)));
    const inModule = (performance.now() - begun) / 200;
    const again = performance.now();
    const signatures = await Promise.all(hashes.map((hash) => signer.sign(hash)));
    const whole = (performance.now() - again) / 200;
    console.info(
      `module: ${inModule.toFixed(2)} ms inside, ${whole.toFixed(2)} ms with the parity, 200 at once`,
    );
    for (const [n, signature] of signatures.entries()) expectSignature(signature, hashes[n]!, wallet.address);
    expect(new Set(signatures.map(({ yParity }) => yParity))).toEqual(new Set([0, 1]));
  });

  it('continues after the module lost its sessions, the login or everything', async () => {
    const raw = rawModule(token.module);
    for (const forget of [raw.forgetSessions, raw.forgetLogin, raw.forgetAll]) {
      expect(forget()).toBe(0);
      const hashes = Array.from({ length: 8 }, () => randomBytes(32));
      const signatures = await Promise.all(hashes.map((hash) => signer.sign(hash)));
      for (const [n, signature] of signatures.entries())
        expectSignature(signature, hashes[n]!, wallet.address);
    }
  });

  it('says that the token is away, and works again once it is back', async () => {
    await rename(token.tokens, `${token.tokens}-away`);
    rawModule(token.module).forgetAll();
    await expect(signer.sign(randomBytes(32))).rejects.toMatchObject({
      name: 'Pkcs11Error',
      retryable: true,
    });
    const answer = await api.call('POST', 'wallet', newWallet());
    expect([answer.status, answer.body.code], answer.text).toEqual([503, 'unavailable']);
    await rename(`${token.tokens}-away`, token.tokens);
    await api.store.query(sql`delete from module_key_making`);
    await expectWorks();
  });

  it('does not wait for a module that hangs, and works again once that answers', async () => {
    const pipe = `${token.conf}-pipe`;
    await makePipe(pipe);
    process.env.SOFTHSM2_CONF = pipe;
    rawModule(token.module).forgetAll();
    const begun = performance.now();
    await expect(signer.sign(randomBytes(32))).rejects.toMatchObject({ code: 'hung', retryable: true });
    const firstMs = performance.now() - begun;
    const second = performance.now();
    await expect(signer.sign(randomBytes(32))).rejects.toThrow('did not respond within');
    expect(performance.now() - second).toBeLessThan(firstMs);
    process.env.SOFTHSM2_CONF = token.conf;
    await writeFile(pipe, await readFile(token.conf));
    await vi.waitFor(expectWorks, { timeout: 60_000, interval: 50 });
  });

  it('signs messages of Stellar and Solana with keys on Ed25519 that never leave the module', async () => {
    for (const [chainUid, publicKeyOf] of [
      ['stellar', (address: string) => Keypair.fromPublicKey(address).rawPublicKey()],
      ['solana', (address: string) => base58.decode(address)],
    ] as const) {
      const made = await api.ok('POST', 'wallet', newWallet({ chainUid }));
      const own = await open(made.id);
      expect(own.address).toBe(made.address);
      for (const message of [randomBytes(32), randomBytes(1200)]) {
        const { bytes, publicKey, yParity } = await own.sign(message);
        expect(yParity).toBe(0);
        expect(ed25519.verify(bytes, message, publicKeyOf(made.address))).toBe(true);
        expect(Buffer.from(publicKey)).toEqual(Buffer.from(publicKeyOf(made.address)));
      }
      // A rotated wallet signs with another key, and its former address with its own.
      const rotated = await api.ok('POST', `wallet/${made.id}/rotate`);
      const { bytes } = await (await open(made.id, made.address)).sign(Buffer.from('x'));
      expect(ed25519.verify(bytes, Buffer.from('x'), publicKeyOf(made.address))).toBe(true);
      expect(rotated.address).not.toBe(made.address);
    }
    expect(new Set(rawModule(token.module).askPrivateKeys(0x11))).toEqual(new Set([0x11]));
  });

  it('is refused with a private key, and where the module has no such keys', async () => {
    const given = await api.call('POST', 'wallet', newWallet({ privateKey: '11'.repeat(32) }));
    expect([given.status, given.body.errors[0].pointer]).toEqual([400, '/privateKey']);
    const without = vi
      .spyOn(hsm, 'createKey')
      .mockRejectedValue(new Pkcs11Error('no-curve', 'No such keys.'));
    const solana = await api.call('POST', 'wallet', newWallet({ chainUid: 'solana' }));
    without.mockRestore();
    expect([solana.status, solana.body.errors[0].pointer]).toEqual([422, '/type']);
    await api.store.query(sql`delete from module_key_making`);
  });

  it('leaves no key behind when its record cannot be written', async () => {
    await api.store.query(sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused'; end $$`);
    await api.store.query(sql`create constraint trigger refuse after insert on wallet deferrable initially deferred
      for each row when (new.name = 'never') execute function refuse()`);
    const answer = await api.call('POST', 'wallet', newWallet({ name: 'never' }));
    expect(answer.status).toBe(500);
    const [orphan] = await api.store.query<{ label: string; id: string }>(
      sql`select label, module_key_id as id from module_key_making`,
    );
    expectBytes(await hsm.sign(orphan!, randomBytes(32)));
    expect(await destroyOrphanKeys(api.services), 'while a transaction could still use it').toBe(0);
    api.advance(601_000);
    expect(await destroyOrphanKeys(api.services)).toBe(1);
    expect(await destroyOrphanKeys(api.services)).toBe(0);
    await expect(hsm.sign(orphan!, randomBytes(32))).rejects.toMatchObject({
      code: 'no-key',
      retryable: false,
    });
    await expectWorks();
  });

  it('signs with the new key after a rotation, and with the old one for the old address', async () => {
    const rotated = await api.ok('POST', `wallet/${wallet.id}/rotate`);
    expect(rotated.address).not.toBe(wallet.address);
    const hash = randomBytes(32);
    expectSignature(await (await open(wallet.id)).sign(hash), hash, rotated.address);
    expectSignature(await (await open(wallet.id, wallet.address)).sign(hash), hash, wallet.address);
    expect(await api.store.query(sql`select 1 from module_key_making`)).toEqual([]);
  });

  it('reports a wrong PIN without showing it, and a missing token with the available ones', async () => {
    const pinFile = `${token.pinFile}-wrong`;
    await writeFile(pinFile, 'canary-wrong-pin');
    const fault = await (await openHsm({ ...token, pinFile })).check().catch((error: Error) => error);
    expect(String(fault)).toContain('CKR_PIN_INCORRECT');
    expect(String(fault)).not.toContain('canary');
    await expect((await openHsm({ ...token, slot: 'absent' })).check()).rejects.toThrow(
      '"vigil test" in slot',
    );
    await expect((await openHsm({ ...token, pinFile: `${pinFile}-none` })).check()).rejects.toThrow(
      'cannot be read',
    );
    await expect(openHsm({ ...token, module: token.conf })).rejects.toThrow('cannot be loaded');
    await expect(openHsm({ ...token, pinFile: undefined })).rejects.toThrow('VIGIL_PKCS11_PIN_FILE');
    await expectWorks();
  });

  it('never shows the PIN in a log line', () => {
    expect(api.log.length).toBeGreaterThan(0);
    expect(api.log.join('\n')).not.toContain(token.pin);
  });

  async function keyId(id: number): Promise<string> {
    const [row] = await api.store.query<{ id: string }>(
      sql`select module_key_id as id from wallet where id = ${id}`,
    );
    return row!.id;
  }
});

function expectBytes({ r, s }: { r: bigint; s: bigint }): void {
  expect(r > 0n && s > 0n).toBe(true);
}
