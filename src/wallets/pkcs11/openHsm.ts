import { createConnect } from './createConnect.ts';
import { createSessions } from './createSessions.ts';
import {
  type Curve,
  createKeyPair,
  destroyKey,
  findKeyHandle,
  type KeyName,
  signMessageWith,
  signWith,
} from './keys.ts';
import { loadModule } from './loadModule.ts';

/** Keys that are created and used inside a PKCS#11 module, and never leave it. */
export type Hsm = {
  /** Creates a key pair of this name, unless it exists, and returns its public key: uncompressed, or the 32 bytes of Ed25519. */
  createKey(name: KeyName, curve?: Curve): Promise<Uint8Array>;
  /** ECDSA over a hash; s may be in either half. */
  sign(name: KeyName, hash: Uint8Array): Promise<{ r: bigint; s: bigint }>;
  /** Ed25519 over a message. */
  signMessage(name: KeyName, message: Uint8Array): Promise<Uint8Array>;
  destroyKey(name: KeyName): Promise<void>;
  /** Throws unless the token can be used. */
  check(): Promise<void>;
  /** Resolves to whether a call is stuck in the module, whose thread then keeps the process from ending. */
  close(): Promise<{ isStuck: boolean }>;
};

type Settings = {
  module: string;
  slot: string | undefined;
  pinFile: string | undefined;
  timeLimitMs?: number;
};

/** Each running call takes one of the four threads that Node also reads files and resolves names on. */
const sessionCount = 2;

/** Loads the module; it opens the token at the first use. */
export async function openHsm({ module: path, slot, pinFile, timeLimitMs = 10_000 }: Settings): Promise<Hsm> {
  if (pinFile === undefined)
    throw new Error('VIGIL_PKCS11_PIN_FILE must name a file with the PIN of the token.');
  const module = await loadModule(path, timeLimitMs);
  const connect = createConnect(module, { slot, pinFile }, sessionCount);
  const { run, idle } = createSessions(connect, sessionCount);
  return {
    createKey: (name, curve = 'secp256k1') => run((session) => createKeyPair(module, session, name, curve)),
    sign: (name, hash) =>
      run(async (session, keys) =>
        signWith(module, session, await findKeyHandle(module, session, keys, name), hash),
      ),
    signMessage: (name, message) =>
      run(async (session, keys) =>
        signMessageWith(module, session, await findKeyHandle(module, session, keys, name), message),
      ),
    destroyKey: (name) =>
      run(async (session, keys) => {
        keys.delete(name.id);
        await destroyKey(module, session, name);
      }),
    check: () => run(async () => {}),
    close: async () => {
      await idle();
      if (!module.isHung()) await module.call('C_Finalize', [null], ['CKR_CRYPTOKI_NOT_INITIALIZED']);
      return { isStuck: module.isHung() };
    },
  };
}
