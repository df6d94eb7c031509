import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: nonce, cipher text, tag. `bound` ties the box to its place, so that it opens nowhere else. */
export function seal(key: Buffer, plain: Buffer, bound: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(bound));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, text, cipher.getAuthTag()]);
}

/** Throws when the key, the place or a single bit differs. */
export function unseal(key: Buffer, box: Buffer, bound: string): Buffer {
  if (box.length < nonceBytes + tagBytes) throw new Error('The sealed value is too short.');
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(box.subarray(box.length - tagBytes));
  // In one buffer, so that wiping it leaves no copy behind.
  const plain = decipher.update(box.subarray(nonceBytes, box.length - tagBytes));
  try {
    decipher.final();
  } catch (error) {
    plain.fill(0);
    throw error;
  }
  return plain;
}
