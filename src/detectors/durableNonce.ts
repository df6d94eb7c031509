import type { Static } from 'typebox';
import { keyIn, nonceInstruction, numberOf, systemProgram } from '../codecs/solana/programs.ts';
import { isListed } from '../evidence/addressList.ts';
import { Addresses, Configuration } from '../evidence/parameters.ts';
import { keysOf } from '../lib/keysOf.ts';
import type { TransactionCall } from '../model/block.ts';
import { type Detection, defineDetector } from '../model/detection.ts';

const config = Configuration({
  allowedNonceAccounts: Addresses('Nonce accounts that are yours; their use raises nothing.'),
});

export const durableNonce = defineDetector<Static<typeof config>, never>({
  name: 'durable_nonce',
  title: 'Durable nonce',
  version: '1.0.0',
  category: 'SECURITY',
  families: ['solana'],
  severity: 'HIGH',
  description:
    'A transaction that the wallet signed uses a durable nonce, so that it may have been signed long ago, or a nonce account comes under the authority of the wallet.',
  faq: 'Why does it matter? A usual signature is worthless after about a minute. With a durable nonce it stays valid until the nonce is used: anyone who tricked a signer once can wait and drain the wallet, or take over what it controls, when it pays most.',
  nextStep:
    'Ask the keepers of the key whether they signed it and when. If not, advance or close the nonce account, which makes all signatures with it worthless, and move the funds.',
  config,
  fields: ['nonceAccount', 'authority', 'instruction', 'isSuccess', 'sender'],
  interests: (_config, { address }) => [{ on: 'touch', address }],
  evaluate(observation, { config: { allowedNonceAccounts }, contract, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction } = observation;
    const { address, name } = contract;
    const { isSuccess } = read.receipt(transaction.hash);
    const detections = (transaction.calls ?? []).flatMap((call): Detection[] => {
      const instruction = nonceStep(call);
      const [nonceAccount = ''] = call.accounts ?? [];
      if (!instruction || isListed(allowedNonceAccounts, nonceAccount)) return [];
      const sender = transaction.from;
      const fields = { nonceAccount, instruction, isSuccess, sender };
      if (instruction === 'advance') {
        // Only the first instruction makes the nonce stand in for a recent blockhash.
        const isUsed = call.position === 0 && transaction.parties?.senders.has(address) === true;
        const ending = isSuccess ? '' : ', but failed';
        return isUsed
          ? [
              {
                part: nonceAccount,
                message: `A transaction that ${name} signed uses the durable nonce of ${nonceAccount}${ending}: it may have been signed long ago.`,
                fields: { ...fields, authority: call.accounts?.[2] },
              },
            ]
          : [];
      }
      const authority = keyIn(call.input);
      return isSuccess && authority === address
        ? [
            {
              part: nonceAccount,
              message: `The nonce account ${nonceAccount} came under the authority of ${name}, in a transaction of ${sender}: what is signed with it stays valid until it is used.`,
              fields: { ...fields, authority },
            },
          ]
        : [];
    });
    return { detections: detections };
  },
});

function nonceStep({ contract, input }: TransactionCall): keyof typeof nonceInstruction | undefined {
  if (contract !== systemProgram) return undefined;
  const number = numberOf(input);
  return keysOf(nonceInstruction).find((name) => nonceInstruction[name] === number);
}
