import { parseFunction } from '../../codecs/evm/abi.ts';
import { toAbiValue } from '../../codecs/evm/toAbiValue.ts';
import { chains } from '../chains.ts';
import type { FamilyActions } from '../familyActions.ts';
import { bitcoinRules } from './bitcoinRules.ts';
import { dustOf } from './payment.ts';

const maxSats = 2_100_000_000_000_000n;
const functions: Readonly<Record<string, string>> = { send: 'address,uint64', sweep: 'address' };
const words = 'write send(address to, uint64 sats) or sweep(address to)';

/** Bitcoin has no contracts to call: an action pays from its wallet, or moves everything that the wallet has. */
export const bitcoinActions: FamilyActions = {
  costUnit: 'satoshi',
  costName: 'payments and fees',
  priceUnit: 'sat/vB',
  isPayment: true,
  // Payments count as spending.
  defaultLimits: () => ({ maxGasPrice: '500', maxHourlySpend: '0.1' }),
  parseFunction(signature) {
    const item = parseFunction(signature);
    if (functions[item.name] !== item.inputs.map(({ type }) => type).join())
      throw new RangeError(`Bitcoin has no function ${item.name} with these parameters: ${words}.`);
    return item;
  },
  functionKey: ({ name }) => name,
  readValue(input, value, label = input.name ?? 'The value', chain = chains.bitcoin) {
    if (input.type === 'address') {
      const read = bitcoinRules.readAddress(String(value), chain);
      if ('fault' in read) throw new RangeError(`${label} (address): ${read.fault}`);
      return read.canonical;
    }
    const sats = toAbiValue(input, value, label);
    if (typeof sats !== 'bigint' || sats < 1n || sats > maxSats)
      throw new RangeError(`${label} (${input.type}) must be from 1 to ${maxSats} satoshis.`);
    return sats;
  },
  encode({ name }, [to, sats]) {
    const recipient = String(to);
    if (name === 'sweep') return { to: recipient, data: 'sweep' };
    const least = dustOf(recipient);
    if (BigInt(String(sats)) < least)
      throw new RangeError(
        `A payment to ${recipient} must be of ${least} satoshis at least, or nodes do not relay it.`,
      );
    return { to: recipient, data: `send ${String(sats)}` };
  },
  explain: ({ reason }) => reason,
  termsFault({ limit, tip }) {
    if (limit !== null)
      return {
        member: 'limit',
        reason: 'means nothing on Bitcoin: the size of a payment follows from its coins.',
      };
    return tip === null
      ? undefined
      : {
          member: 'tip',
          reason: 'means nothing on Bitcoin: give the whole fee rate as the gasPrice, in sat/vB.',
        };
  },
};
