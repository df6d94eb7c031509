import { randomBytes, randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** 32 bytes in base64 or hex. */
export function parseMasterKey(text: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (key.length !== 32) throw new Error('A master key must be 32 bytes in base64 or hex.');
  return key;
}

/** The keys of the file, newest first; a rotation leaves two in it for a moment. */
export function readMasterKeyFile(file: string): [Buffer, ...Buffer[]] {
  const [newest, ...older] = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (newest === undefined) throw new Error(`The master key file ${file} is empty.`);
  return [parseMasterKey(newest), ...older.map(parseMasterKey)];
}

/** Of processes that start together one creates the key, and all use it: a link, unlike a rename, never replaces a file. */
export function ensureMasterKeyFile(file: string): void {
  if (existsSync(file)) return;
  const newFile = `${file}.${randomUUID()}.new`;
  writeKeys(newFile, [randomBytes(32)]);
  try {
    linkSync(newFile, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    unlinkSync(newFile);
  }
}

/** Written beside and renamed into place, so that no reader ever finds half a key. */
export function writeMasterKeyFile(file: string, keys: readonly Buffer[]): void {
  writeKeys(`${file}.new`, keys);
  renameSync(`${file}.new`, file);
}

function writeKeys(file: string, keys: readonly Buffer[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const text = keys.map((key) => `${key.toString('base64')}\n`).join('');
  writeFileSync(file, text, { mode: 0o600, flush: true });
}
