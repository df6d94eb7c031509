import { Ed25519KeyIdentity } from '@icp-sdk/core/identity';
import { bytesToHex } from '@noble/hashes/utils.js';
import { chains } from '../../src/chains/chains.ts';
import { icpRules } from '../../src/chains/icp/icpRules.ts';

/** A new key as a wallet takes it (`pem`), as it is kept (`kept`), and as an identity of the official agent. */
export function createIcpKey() {
  const key = icpRules.generateKey();
  const address = icpRules.deriveAddress(key, chains.icp);
  const identity = Ed25519KeyIdentity.fromSecretKey(key.slice(-32));
  const body = Buffer.from(key).toString('base64');
  return {
    address,
    identity,
    pem: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`,
    kept: `0x${bytesToHex(key)}`,
  };
}
