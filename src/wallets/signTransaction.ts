import type { Signature, Signed, Unsigned } from '../chains/transactor.ts';
import type { Signer } from './openSigner.ts';

/** The bytes to send and the transaction hash. */
export async function signTransaction(signer: Signer, { payloads, finish }: Unsigned): Promise<Signed> {
  const signatures: Signature[] = [];
  for (const payload of payloads) signatures.push(await signer.sign(payload));
  return finish(signatures);
}
