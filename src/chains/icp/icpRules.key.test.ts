import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chains } from '../chains.ts';
import { icpRules } from './icpRules.ts';

// The identities with which the agent libraries of the Internet Computer are tested, and their principals.
const ed25519Pem = `-----BEGIN PRIVATE KEY-----
MFMCAQEwBQYDK2VwBCIEIL9r4XBKsg4pquYBHY6rgfzuBsvCy89tgqDfDpofXRBP
oSMDIQBCkE1NL4X43clXS1LFauiceiiKW9NhjVTEpU6LpH9Qcw==
-----END PRIVATE KEY-----
`;
const ed25519Principal = 'emrl6-qe3wz-fh5ib-sx2r4-fbx46-6g4ql-5ro3g-zhbtm-nxdrq-q2oqo-jqe';
const secp256k1Pem = `-----BEGIN EC PARAMETERS-----
BgUrgQQACg==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHQCAQEEIAgy7nZEcVHkQ4Z1Kdqby8SwyAiyKDQmtbEHTIM+WNeBoAcGBSuBBAAK
oUQDQgAEgO87rJ1ozzdMvJyZQ+GABDqUxGLvgnAnTlcInV3NuhuPv4O3VGzMGzeB
N3d26cRxD99TPtm8uo2OuzKhSiq6EQ==
-----END EC PRIVATE KEY-----
`;
const secp256k1Principal = 't2kpu-6xt6l-tyb3d-rll2p-irv5c-no5nd-h6spj-jsetq-bmqdz-iap77-pqe';

const readKey = (text: string) => {
  const read = icpRules.readKey(text);
  if ('fault' in read) throw new Error(read.fault);
  return read.key;
};
const principal = (text: string) => icpRules.deriveAddress(readKey(text), chains.icp);
const opensslKey = (key: Uint8Array) =>
  createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' });

describe('Internet Computer keys', () => {
  it('derives the principal of an Ed25519 identity, with and without the public key in it', () => {
    expect(principal(ed25519Pem)).toBe(ed25519Principal);
    const plain = opensslKey(readKey(ed25519Pem)).export({ format: 'pem', type: 'pkcs8' }).toString();
    expect(principal(plain)).toBe(ed25519Principal);
    const der = Buffer.from(ed25519Pem.split('\n').slice(1, -2).join(''), 'base64').toString('hex');
    const rfc8410 = der.replace(/^3053/, '3051').replace('a123032100', '812100');
    expect(principal(toPem(rfc8410))).toBe(ed25519Principal);
  });

  it('derives the principal of a secp256k1 identity, as SEC1 with and without parameters and as PKCS#8', () => {
    expect(principal(secp256k1Pem)).toBe(secp256k1Principal);
    expect(principal(secp256k1Pem.split('\n').slice(3).join('\n'))).toBe(secp256k1Principal);
    const pkcs8 = createPrivateKey(secp256k1Pem).export({ format: 'pem', type: 'pkcs8' }).toString();
    expect(principal(pkcs8)).toBe(secp256k1Principal);
  });

  it.each([ed25519Pem, secp256k1Pem])('gives a key with which OpenSSL signs', (pem) => {
    const key = opensslKey(readKey(pem));
    const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    const message = Buffer.from('message');
    expect(verify(algorithm, message, createPublicKey(key), sign(algorithm, message, key))).toBe(true);
  });

  it('generates an Ed25519 key', () => {
    expect(opensslKey(icpRules.generateKey()).asymmetricKeyType).toBe('ed25519');
  });

  it('refuses a PEM text whose public key does not belong to its private key', () => {
    for (const pem of [ed25519Pem.replace('IL9r', 'IL9s'), secp256k1Pem.replace('IAgy', 'IAgz')])
      expect(icpRules.readKey(pem)).toEqual({ fault: expect.stringContaining('does not belong') });
  });

  it.each([
    ['an RSA key', generatePem('rsa')],
    ['a P-256 key', generatePem('ec')],
    ['an X25519 key', generatePem('x25519')],
    ['an encrypted key', generatePem('encrypted')],
    ['a public key', createPublicKey(secp256k1Pem).export({ format: 'pem', type: 'spki' }).toString()],
    ['a PEM text cut short', ed25519Pem.replace('Qcw==', '')],
    ['mismatched labels', ed25519Pem.replace('END PRIVATE', 'END EC PRIVATE')],
    ['two keys', ed25519Pem + ed25519Pem],
    ['text before the key', `key: ${ed25519Pem}`],
    [
      'the key 0',
      toPem(`30740201010420${'0'.repeat(64)}a00706052b8104000aa144034200${'04'.padEnd(130, '1')}`),
    ],
    ['a hexadecimal EVM key', `0x${'1'.repeat(64)}`],
    ['bare hexadecimal', '1'.repeat(64)],
    ['a huge text', `-----BEGIN PRIVATE KEY-----${'A'.repeat(1_000_000)}-----END PRIVATE KEY-----`],
    ['nothing', ''],
  ])('refuses %s', (_reason, text) => {
    expect(icpRules.readKey(text)).toEqual({ fault: expect.stringContaining(icpRules.keyForm) });
  });
});

function toPem(hex: string): string {
  return `-----BEGIN PRIVATE KEY-----\n${Buffer.from(hex, 'hex').toString('base64')}\n-----END PRIVATE KEY-----\n`;
}

function generatePem(kind: 'rsa' | 'ec' | 'x25519' | 'encrypted'): string {
  if (kind === 'rsa') {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  }
  if (kind === 'ec') {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return privateKey.export({ format: 'pem', type: 'sec1' }).toString();
  }
  if (kind === 'x25519') {
    const { privateKey } = generateKeyPairSync('x25519');
    return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const protection = { cipher: 'aes-256-cbc', passphrase: 'a passphrase' };
  return privateKey.export({ format: 'pem', type: 'pkcs8', ...protection }).toString();
}
