import type { Static } from 'typebox';
import { addressSet } from '../evidence/addressList.ts';
import { Addresses, Choice, Configuration } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  notifyOn: Choice('Which of the two to report.', ['both', 'frozen', 'thawed'], 'both'),
  accounts: Addresses(
    'Only these token accounts count; without any, all of the watched wallet or of the watched token.',
  ),
});

export const tokenFreeze = defineDetector<Static<typeof config>, never>({
  name: 'token_freeze',
  title: 'Token account frozen',
  version: '1.0.0',
  category: 'FINANCIAL',
  families: ['solana', 'stellar'],
  severity: 'HIGH',
  description:
    'A token account is frozen or thawed: of the watched wallet, of any holder of the watched token, or the watched account itself.',
  faq: 'Who can freeze an account? The freeze authority of the token; ownership_change reports when that changes.',
  nextStep: 'Ask the issuer of the token why. What is frozen cannot be moved: plan again what depends on it.',
  config,
  pending: true,
  fields: ['isFrozen', 'account', 'sender'],
  interests: (_config, { address }) => [{ on: 'change', address, keys: ['frozen'] }],
  evaluate(observation, { config: { notifyOn, accounts }, contract }) {
    if (observation.type !== 'change') return {};
    const { change, transaction } = observation;
    const account = change.part ?? change.subject;
    const isFrozen = change.after === 'true';
    if (notifyOn !== 'both' && isFrozen !== (notifyOn === 'frozen')) return {};
    if (accounts.length > 0 && !addressSet(accounts).has(account)) return {};
    const of = change.part === undefined ? contract.name : `The token account ${account} of ${contract.name}`;
    return {
      detections: [
        {
          message: `${of} was ${isFrozen ? 'frozen' : 'thawed'} in a transaction of ${transaction.from}.`,
          fields: { isFrozen, account, sender: transaction.from },
        },
      ],
    };
  },
});
