import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConnect } from './createConnect.ts';
import type { Pkcs11Module } from './loadModule.ts';
import { Pkcs11Error } from './pkcs11Error.ts';

let folder: string;
let pinFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vigil-pin-'));
  pinFile = join(folder, 'pin');
});
afterAll(() => rm(folder, { recursive: true }));

/** One token; it takes the PIN 1234 and counts how often it is asked. */
function fakeModule(): Pkcs11Module & { logins: string[]; pins: Buffer[] } {
  const logins: string[] = [];
  const pins: Buffer[] = [];
  return {
    logins,
    pins,
    address: () => 0n,
    isHung: () => false,
    async call(name, args) {
      const [, second, third] = args;
      if (name === 'C_GetSlotList' && third instanceof Buffer) third.writeBigUInt64LE(1n);
      if (name === 'C_GetTokenInfo' && second instanceof Buffer) second.fill(32).write('token');
      if (name !== 'C_Login' || !(third instanceof Buffer)) return;
      logins.push(third.toString());
      pins.push(third);
      if (third.toString() !== '1234') throw new Pkcs11Error('CKR_PIN_INCORRECT', 'The PIN is wrong.');
    },
  };
}

describe('the PIN of a token', () => {
  it('is not tried again after the token refused it, until its file changes', async () => {
    const module = fakeModule();
    const connect = createConnect(module, { slot: undefined, pinFile }, 1);
    await writeFile(pinFile, '9999\n');
    for (let attempt = 0; attempt < 5; attempt++)
      await expect(connect()).rejects.toMatchObject({ code: 'pin', retryable: false });
    expect(module.logins).toEqual(['9999']);
    await writeFile(pinFile, '1234\r\n');
    await connect();
    await connect();
    expect(module.logins).toEqual(['9999', '1234', '1234']);
  });

  it('is wiped from memory after it was used', async () => {
    const module = fakeModule();
    await writeFile(pinFile, '1234');
    await createConnect(module, { slot: '0', pinFile }, 1)();
    expect(module.pins.map((pin) => pin.toString('hex'))).toEqual(['00000000']);
  });

  it('is not asked for when no token or several fit', async () => {
    const module = fakeModule();
    await expect(createConnect(module, { slot: 'other', pinFile }, 1)()).rejects.toThrow('"token" in slot 0');
    expect(module.logins).toEqual([]);
  });
});
