import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Pkcs11Module } from './loadModule.ts';
import { readWord, word, words } from './memory.ts';
import { lostCodes, Pkcs11Error } from './pkcs11Error.ts';

export type TokenSettings = { slot: string | undefined; pinFile: string };

/** Sessions of one login. Key handles are valid as long as the login. */
export type ModuleConnection = { sessions: bigint[]; keys: Map<string, bigint> };

/** Initialises the module again and logs in: some modules see a token that was plugged in again only after this. */
export function createConnect(
  module: Pkcs11Module,
  settings: TokenSettings,
  sessionCount: number,
): () => Promise<ModuleConnection> {
  let refusedPin: string | undefined;

  return async () => {
    await module.call('C_Finalize', [null], [...lostCodes]);
    await module.call('C_Initialize', [osLocking()], ['CKR_CRYPTOKI_ALREADY_INITIALIZED']);
    const slot = await findSlot(module, settings.slot);
    const first = await openSession(module, slot);
    const sessions = [first];
    while (sessions.length < sessionCount) sessions.push(await openSession(module, slot));
    await login(first);
    return { sessions, keys: new Map() };
  };

  /** A token locks itself after a few wrong PINs, so a refused one is not tried again. */
  async function login(session: bigint): Promise<void> {
    const pin = await readPin(settings.pinFile);
    const digest = createHash('sha256').update(pin).digest('hex');
    try {
      if (digest === refusedPin) throw wrongPin('CKR_PIN_INCORRECT');
      await module.call('C_Login', [session, user, pin, pin.length], ['CKR_USER_ALREADY_LOGGED_IN']);
      refusedPin = undefined;
    } catch (error) {
      if (!(error instanceof Pkcs11Error) || !error.code.includes('PIN_')) throw error;
      refusedPin = digest;
      throw wrongPin(error.code);
    } finally {
      pin.fill(0);
    }
  }
}

/** CK_C_INITIALIZE_ARGS: four mutex functions of ours (none), CKF_OS_LOCKING_OK, and a reserved pointer. */
function osLocking(): Buffer {
  return words(0, 0, 0, 0, 2, 0);
}

const isPresent = 1;
const user = 1;
/** CKF_RW_SESSION and CKF_SERIAL_SESSION. */
const sessionFlags = 6;
const tokenInfoBytes = 208;
const labelBytes = 32;

/** The slot whose id or token label is the setting; without a setting the only token. */
async function findSlot(module: Pkcs11Module, setting: string | undefined): Promise<bigint> {
  const tokens = await listTokens(module);
  const slots =
    setting === undefined
      ? tokens.length === 1
        ? tokens
        : []
      : tokens.filter(({ slot, label }) => label === setting || String(slot) === setting);
  const [token] = slots;
  if (token && slots.length === 1) return token.slot;
  const available = tokens.map(({ slot, label }) => `"${label}" in slot ${slot}`).join(', ') || 'none';
  throw new Pkcs11Error(
    'no-token',
    setting === undefined
      ? `VIGIL_PKCS11_SLOT must name one of the tokens by label or slot id. Available: ${available}.`
      : `VIGIL_PKCS11_SLOT is "${setting}", which is the slot id or label of ${slots.length === 0 ? 'no token' : 'several tokens'}. Available: ${available}.`,
  );
}

async function listTokens(module: Pkcs11Module): Promise<{ slot: bigint; label: string }[]> {
  const count = words(0);
  await module.call('C_GetSlotList', [isPresent, null, count]);
  const list = Buffer.alloc(Number(readWord(count)) * word);
  if (list.length > 0) await module.call('C_GetSlotList', [isPresent, list, count]);
  const tokens: { slot: bigint; label: string }[] = [];
  for (let n = 0; n < Number(readWord(count)); n++) {
    const slot = readWord(list, n * word);
    const info = Buffer.alloc(tokenInfoBytes, ' ');
    await module.call('C_GetTokenInfo', [slot, info], ['CKR_TOKEN_NOT_PRESENT', 'CKR_TOKEN_NOT_RECOGNIZED']);
    const label = info.toString('utf8', 0, labelBytes).trimEnd();
    // An empty slot of some modules counts as a token that was never initialised.
    if (label !== '') tokens.push({ slot, label });
  }
  return tokens;
}

async function openSession(module: Pkcs11Module, slot: bigint): Promise<bigint> {
  const session = words(0);
  await module.call('C_OpenSession', [slot, sessionFlags, null, null, session]);
  return readWord(session);
}

async function readPin(file: string): Promise<Buffer> {
  const content = await readFile(file).catch((cause: unknown) => {
    throw new Pkcs11Error('pin', 'The file that VIGIL_PKCS11_PIN_FILE names cannot be read.', { cause });
  });
  let end = content.length;
  while (end > 0 && (content[end - 1] === 10 || content[end - 1] === 13)) end -= 1;
  return content.subarray(0, end);
}

function wrongPin(code: string): Pkcs11Error {
  return new Pkcs11Error(
    'pin',
    `The token refused the PIN of VIGIL_PKCS11_PIN_FILE (${code}). Since tokens lock themselves after a few wrong PINs, Vigil does not try it again before the file changes.`,
  );
}
