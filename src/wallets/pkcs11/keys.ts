import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import type { ModuleConnection } from './createConnect.ts';
import type { Pkcs11Module } from './loadModule.ts';
import { type Attributes, readWord, toMechanism, toTemplate, word, words } from './memory.ts';
import { Pkcs11Error } from './pkcs11Error.ts';

/** `label` names the wallet; `id`, in hex, distinguishes the keys of one wallet. */
export type KeyName = { label: string; id: string };

const publicKey = 2;
const privateKey = 3;
const ecdsa = 0x1041;
const eddsa = 0x1057;

export type Curve = 'secp256k1' | 'ed25519';
type CurveFacts = {
  readonly generate: number;
  /** Names of the curve in DER: its object identifier or, on some modules, its name. */
  readonly params: readonly Buffer[];
};
const curves: Readonly<Record<Curve, CurveFacts>> = {
  secp256k1: { generate: 0x1040, params: [Buffer.from('06052b8104000a', 'hex')] },
  ed25519: {
    generate: 0x1055,
    params: [Buffer.from('06032b6570', 'hex'), Buffer.from('130c656477617264733235353139', 'hex')],
  },
};

/** Repeated after a lost session, it finds the pair that it created before. */
export async function createKeyPair(
  module: Pkcs11Module,
  session: bigint,
  name: KeyName,
  curve: Curve,
): Promise<Uint8Array> {
  const [cached] = await findObjects(module, session, { class: publicKey, ...toAttributes(name) });
  const point = await readPoint(module, session, cached ?? (await generate(module, session, name, curve)));
  return curve === 'ed25519' ? readEdwardsPoint(point) : readPublicKey(point);
}

/** The handle of a private key, cached for the connection. */
export async function findKeyHandle(
  module: Pkcs11Module,
  session: bigint,
  keys: ModuleConnection['keys'],
  name: KeyName,
): Promise<bigint> {
  const cached = keys.get(name.id);
  if (cached !== undefined) return cached;
  const handles = await findObjects(module, session, { class: privateKey, ...toAttributes(name) });
  const [key] = handles;
  if (key === undefined || handles.length > 1) {
    const count = handles.length === 0 ? 'no private key' : 'several private keys';
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
  const signature = await sign(module, session, key, ecdsa, hash);
  return { r: bytesToNumberBE(signature.subarray(0, 32)), s: bytesToNumberBE(signature.subarray(32)) };
}

/** Ed25519 over the message itself. */
export function signMessageWith(
  module: Pkcs11Module,
  session: bigint,
  key: bigint,
  message: Uint8Array,
): Promise<Uint8Array> {
  return sign(module, session, key, eddsa, message);
}

async function sign(
  module: Pkcs11Module,
  session: bigint,
  key: bigint,
  mechanism: number,
  data: Uint8Array,
): Promise<Buffer> {
  const signature = Buffer.alloc(64);
  const length = words(signature.length);
  await module.call('C_SignInit', [session, toMechanism(mechanism), key]);
  await module.call('C_Sign', [session, Buffer.from(data), data.length, signature, length]);
  if (Number(readWord(length)) !== signature.length)
    throw new Pkcs11Error(
      'bad-signature',
      `The module signed with ${readWord(length)} bytes, but a signature has 64.`,
    );
  return signature;
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

/** Codes by which modules refuse a curve, or how it is named. */
const refusedCurve = new Set([
  'CKR_MECHANISM_INVALID',
  'CKR_ATTRIBUTE_VALUE_INVALID',
  'CKR_DOMAIN_PARAMS_INVALID',
  'CKR_CURVE_NOT_SUPPORTED',
  'CKR_GENERAL_ERROR',
  'CKR_FUNCTION_FAILED',
]);

async function generate(module: Pkcs11Module, session: bigint, name: KeyName, curve: Curve): Promise<bigint> {
  const { params } = curves[curve];
  for (const [index, ecParams] of params.entries()) {
    try {
      return await generatePair(module, session, name, curve, ecParams);
    } catch (error) {
      if (curve === 'secp256k1' || !(error instanceof Pkcs11Error) || !refusedCurve.has(error.code))
        throw error;
      const isHopeless = error.code === 'CKR_MECHANISM_INVALID' || index === params.length - 1;
      if (isHopeless)
        throw new Pkcs11Error('no-curve', `The PKCS#11 module has no keys of ${curve} (${error.code}).`, {
          cause: error,
        });
    }
  }
  throw new Error('A curve has at least one name.');
}

async function generatePair(
  module: Pkcs11Module,
  session: bigint,
  name: KeyName,
  curve: Curve,
  ecParams: Buffer,
): Promise<bigint> {
  const open = toTemplate(module, {
    ...toAttributes(name),
    token: true,
    verify: true,
    ecParams,
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
    toMechanism(curves[curve].generate),
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

async function readPoint(module: Pkcs11Module, session: bigint, object: bigint): Promise<Buffer> {
  const { memory, count } = toTemplate(module, { ecPoint: Buffer.alloc(128) });
  await module.call('C_GetAttributeValue', [session, object, memory, count]);
  return memory.subarray(3 * word).subarray(0, Number(readWord(memory, 2 * word)));
}

/** CKA_EC_POINT is the point inside a DER octet string; some modules leave the string out. */
function readPublicKey(point: Buffer): Uint8Array {
  // A bare point has 65 bytes, or 33 when it is compressed.
  const isWrapped = point.length === 67 || point.length === 35;
  return secp256k1.Point.fromBytes(isWrapped ? point.subarray(2) : point).toBytes(false);
}

/** 32 bytes as they are, inside an octet string, or inside a bit string. */
function readEdwardsPoint(point: Buffer): Uint8Array {
  const head = point.subarray(0, -32).toString('hex');
  if (point.length < 32 || !['', '0420', '032100'].includes(head))
    throw new Pkcs11Error(
      'bad-key',
      `The module gave a public key of ${point.length} bytes, and not one of Ed25519.`,
    );
  return Uint8Array.from(point.subarray(-32));
}
