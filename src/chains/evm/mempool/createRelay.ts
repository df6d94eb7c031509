import * as Address from 'ox/Address';
import * as Hash from 'ox/Hash';
import * as Hex from 'ox/Hex';
import * as PersonalMessage from 'ox/PersonalMessage';
import * as Secp256k1 from 'ox/Secp256k1';
import * as Signature from 'ox/Signature';
import { request } from 'undici';

const timeoutMs = 5000;

/**
 * Calls of a private relay. Some take requests only with the signature of a searcher, by which they know one again and not who it
 * is: a key that lives as long as the process.
 */
export function createRelay(url: string): (method: string, params: object) => Promise<void> {
  const privateKey = Secp256k1.randomPrivateKey();
  const address = Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey }));
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [params] });
    const digest = Hash.keccak256(Hex.fromString(body));
    const payload = PersonalMessage.getSignPayload(Hex.fromString(digest));
    const signature = Signature.toHex(Secp256k1.sign({ payload, privateKey }));
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-flashbots-signature': `${address}:${signature}` },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body.dump();
  };
}
