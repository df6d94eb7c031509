import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from 'node:crypto';

/** A browser that agreed to be notified: its address at the push service, its public key and its shared secret. */
export type PushKeys = { p256dh: Buffer; auth: Buffer };
/** Values that RFC 8291 draws at random; tests give their own. */
type Drawn = { salt: Buffer; privateKey: Buffer };

const curve = 'prime256v1';
/** One record holds all of it: the size of records is one more than the text with its tag may take. */
const recordSize = 4096;
const tagBytes = 16;
const headerBytes = 16 + 4 + 1 + 65;
/** Longest text: a push service takes 4096 bytes with the header, the delimiter and the tag. */
export const maxPushBytes = recordSize - headerBytes - tagBytes - 1;

/** Encrypts a text for one browser (RFC 8291, `aes128gcm` of RFC 8188): the push service carries it and cannot read it. */
export function encryptPush(text: Buffer, { p256dh, auth }: PushKeys, drawn: Drawn = draw()): Buffer {
  const { salt, privateKey } = drawn;
  const ecdh = createECDH(curve);
  ecdh.setPrivateKey(privateKey);
  const sender = ecdh.getPublicKey();
  const shared = ecdh.computeSecret(p256dh);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender]);
  const secret = derive(shared, auth, info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // The delimiter 2 says that this is the last record.
  const sealed = Buffer.concat([cipher.update(text), cipher.update(Buffer.of(2)), cipher.final()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordSize);
  return Buffer.concat([salt, size, Buffer.of(sender.length), sender, sealed, cipher.getAuthTag()]);
}

function draw(): Drawn {
  const ecdh = createECDH(curve);
  ecdh.generateKeys();
  return { salt: randomBytes(16), privateKey: ecdh.getPrivateKey() };
}

function derive(secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}

/** The time for which a push service takes the signature; it refuses more than a day. */
const validMs = 12 * 3_600_000;

/** Identifies the server to a push service (RFC 8292), with the key that the browser subscribed for. */
export function vapidHeader(endpoint: string, privateKey: Buffer, contact: string, now: number): string {
  const publicKey = publicKeyOf(privateKey);
  const header = encode({ typ: 'JWT', alg: 'ES256' });
  const claims = encode({
    // An address that cannot be read is refused before anything is sent.
    aud: URL.canParse(endpoint) ? new URL(endpoint).origin : '',
    exp: Math.floor((now + validMs) / 1000),
    sub: contact,
  });
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: privateKey.toString('base64url'),
      x: publicKey.subarray(1, 33).toString('base64url'),
      y: publicKey.subarray(33).toString('base64url'),
    },
  });
  const signature = sign('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' });
  const token = `${header}.${claims}.${signature.toString('base64url')}`;
  return `vapid t=${token}, k=${publicKey.toString('base64url')}`;
}

function publicKeyOf(privateKey: Buffer): Buffer {
  const ecdh = createECDH(curve);
  ecdh.setPrivateKey(privateKey);
  return ecdh.getPublicKey();
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** True if the text is a point of the curve, uncompressed. */
export function isPushPoint(text: unknown): boolean {
  const point = typeof text === 'string' ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  if (point.length !== 65 || point[0] !== 4) return false;
  try {
    const ecdh = createECDH(curve);
    ecdh.generateKeys();
    ecdh.computeSecret(point);
    return true;
  } catch {
    return false;
  }
}

/** True if the text is a private key of the curve. */
export function isPushPrivateKey(text: unknown): boolean {
  const key = typeof text === 'string' ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  if (key.length !== 32) return false;
  try {
    publicKeyOf(key);
    return true;
  } catch {
    return false;
  }
}
