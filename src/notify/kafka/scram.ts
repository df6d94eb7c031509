import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { KafkaFault } from './kafkaFault.ts';

const derive = promisify(pbkdf2);

/** Kafka takes no fewer and no more. More would let a broker use up the processor; fewer would give the password away. */
const minIterations = 4096;
const maxIterations = 16_384;

type Exchange = (message: string) => Promise<string>;
type Login = { hash: 'sha256' | 'sha512'; username: string; password: string };

/** Proves that both sides know the password (RFC 5802), without sending it. */
export async function scram({ hash, username, password }: Login, exchange: Exchange): Promise<void> {
  const nonce = randomBytes(24).toString('base64url');
  const name = username.replaceAll('=', '=3D').replaceAll(',', '=2C');
  const first = `n=${name},r=${nonce}`;
  const challenge = await exchange(`n,,${first}`);
  const { r: bothNonces = '', s: salt = '', i: count = '' } = fieldsOf(challenge);
  const iterations = /^\d{1,6}$/.test(count) ? Number(count) : 0;
  if (!bothNonces.startsWith(nonce) || bothNonces.length === nonce.length || salt === '')
    throw new KafkaFault('The broker does not follow SCRAM.');
  if (iterations < minIterations || iterations > maxIterations)
    throw new KafkaFault(
      `The broker asks for ${iterations} iterations of SCRAM; Vigil takes ${minIterations} to ${maxIterations}.`,
    );
  const hashLength = hash === 'sha256' ? 32 : 64;
  const salted = await derive(password, Buffer.from(salt, 'base64'), iterations, hashLength, hash);
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest();
  const final = `c=biws,r=${bothNonces}`;
  const all = `${first},${challenge},${final}`;
  const clientKey = hmac(salted, 'Client Key');
  const signature = hmac(createHash(hash).update(clientKey).digest(), all);
  const proof = clientKey.map((byte, index) => byte ^ signature[index]!);
  const { v: answered = '' } = fieldsOf(
    await exchange(`${final},p=${Buffer.from(proof).toString('base64')}`),
  );
  const expected = hmac(hmac(salted, 'Server Key'), all);
  const given = Buffer.from(answered, 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new KafkaFault('The broker does not know the password; it may be another one than it says.');
}

function fieldsOf(message: string): Record<string, string> {
  return Object.fromEntries(
    message.split(',').flatMap((field) => (field[1] === '=' ? [[field[0]!, field.slice(2)]] : [])),
  );
}
