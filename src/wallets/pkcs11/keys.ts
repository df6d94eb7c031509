import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import type { Connection } from './createConnect.ts';
import type { Pkcs11Module } from './loadModule.ts';
import { type Attributes, readWord, toMechanism, toTemplate, word, words } from './memory.ts';
import { Pkcs11Error } from './pkcs11Error.ts';

/** `label` names the wallet; `id`, in hex, distinguishes the keys of one wallet. */
export type KeyName = { label: string; id: string };

const publicKey = 2;
const privateKey = 3;
const generateEcPair = 0x1040;
const ecdsa = 0x1041;
/** The object identifier of secp256k1, in DER. */
const secp256k1Curve = Buffer.from('06052b8104000a', 'hex');

/** Repeated after a lost session, it finds the pair that it created before. */
export async function createKeyPair(
  module: Pkcs11Module,
  session: bigint,
  name: KeyName,
): Promise<Uint8Array> {
  const [cached] = await findObjects(module, session, { class: publicKey, ...toAttributes(name) });
  return readPublicKey(module, session, cached ?? (await generate(module, session, name)));
}

/** The handle of a private key, cached for the connection. */
export async function findKeyHandle(
  module: Pkcs11Module,
  session: bigint,
  keys: Connection['keys'],
  name: KeyName,
): Promise<bigint> {
  const cached = keys.get(name.id);
  if (cached !== undefined) return cached;
  const found = await findObjects(module, session, { class: privateKey, ...toAttributes(name) });
  const [key] = found;
  if (key === undefined || found.length > 1) {
    const count = found.length === 0 ? 'no private key' : 'several private keys';
    throw new Pkcs11Error(
      'no-key',
      `The token has ${count} with the label ${name.label} and the id ${name.id}.`,
    );
  }
  keys.set(name.id, key);
  return key;
}

export async function signWith(
  module: Pkcs11Module,
  session: bigint,
  key: bigint,
  hash: Uint8Array,
): Promise<{ r: bigint; s: bigint }> {
  const signature = Buffer.alloc(64);
  const length = words(signature.length);
  await module.call('C_SignInit', [session, toMechanism(ecdsa), key]);
  await module.call('C_Sign', [session, Buffer.from(hash), hash.length, signature, length]);
  if (Number(readWord(length)) !== signature.length)
    throw new Pkcs11Error(
      'bad-signature',
      `The module signed with ${readWord(length)} bytes, but r and s have 64.`,
    );
  return { r: bytesToNumberBE(signature.subarray(0, 32)), s: bytesToNumberBE(signature.subarray(32)) };
}

export async function destroyKey(module: Pkcs11Module, session: bigint, name: KeyName): Promise<void> {
  for (const type of [privateKey, publicKey]) {
    for (const object of await findObjects(module, session, { class: type, ...toAttributes(name) }))
      await module.call('C_DestroyObject', [session, object]);
  }
}

function toAttributes({ label, id }: KeyName): Attributes {
  return { label, id: Buffer.from(id, 'hex') };
}

async function generate(module: Pkcs11Module, session: bigint, name: KeyName): Promise<bigint> {
  const open = toTemplate(module, {
    ...toAttributes(name),
    token: true,
    verify: true,
    ecParams: secp256k1Curve,
  });
  const closed = toTemplate(module, {
    ...toAttributes(name),
    token: true,
    private: true,
    sensitive: true,
    extractable: false,
    sign: true,
  });
  const handles = [words(0), words(0)] as const;
  await module.call('C_GenerateKeyPair', [
    session,
    toMechanism(generateEcPair),
    open.memory,
    open.count,
    closed.memory,
    closed.count,
    ...handles,
  ]);
  return readWord(handles[0]);
}

async function findObjects(module: Pkcs11Module, session: bigint, attributes: Attributes): Promise<bigint[]> {
  const { memory, count } = toTemplate(module, attributes);
  const limit = 4;
  const handles = Buffer.alloc(limit * word);
  const found = words(0);
  await module.call('C_FindObjectsInit', [session, memory, count]);
  try {
    await module.call('C_FindObjects', [session, handles, limit, found]);
  } finally {
    await module.call('C_FindObjectsFinal', [session]);
  }
  return Array.from({ length: Number(readWord(found)) }, (_, n) => readWord(handles, n * word));
}

/** CKA_EC_POINT is the point inside a DER octet string; some modules leave the string out. */
async function readPublicKey(module: Pkcs11Module, session: bigint, object: bigint): Promise<Uint8Array> {
  const { memory, count } = toTemplate(module, { ecPoint: Buffer.alloc(128) });
  await module.call('C_GetAttributeValue', [session, object, memory, count]);
  const point = memory.subarray(3 * word).subarray(0, Number(readWord(memory, 2 * word)));
  // A bare point has 65 bytes, or 33 when it is compressed.
  const isWrapped = point.length === 67 || point.length === 35;
  return secp256k1.Point.fromBytes(isWrapped ? point.subarray(2) : point).toBytes(false);
}
