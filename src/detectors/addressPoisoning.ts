import type { Static } from 'typebox';
import { transferTopic } from '../codecs/evm/erc20Transfer.ts';
import { logWords } from '../codecs/evm/words.ts';
import { formatUnits, native, showAmount } from '../evidence/amounts.ts';
import { endsOf } from '../evidence/evm/parties.ts';
import { assetFacts } from '../evidence/evm/tokens.ts';
import { findLabelHits, showLabel } from '../evidence/labels.ts';

import { Configuration, Whole } from '../evidence/parameters.ts';
import type { Log, Transaction } from '../model/block.ts';
import { defineDetector, type EvaluationContext, type Label, type Observation } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';

const config = Configuration({
  past: Whole('How many blocks a payment is remembered.', 600_000, 1, 100_000_000),
  history: Whole('How many recipients are remembered, the last ones paid.', 25, 1, 500),
  prefix: Whole(
    'How many bytes at the beginning look-alikes have in common; of addresses that are no hexadecimal numbers two characters count as one.',
    2,
    1,
    10,
  ),
  suffix: Whole('The same for the end.', 2, 1, 10),
});

type Config = Static<typeof config>;
/** Addresses that the wallet has paid and in which block, the last one paid at the end. */
type State = { paid: [address: string, block: number][] };
type Movement = { from: string; to: string; units: bigint; token: string; isOwn: boolean };

export const addressPoisoning = defineDetector<Config, State>({
  name: 'address_poisoning',
  title: 'Address poisoning',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'bitcoin', 'solana'],
  recommendedFor: {
    ACCOUNT: () => ({ reason: 'Look-alike addresses are put into the history of accounts that pay.' }),
  },
  severity: 'HIGH',
  description:
    'A transfer of nothing, of dust or of a fake token puts an address into the history of the wallet that looks like one it has paid, or one that is labelled SCAM, so that it is copied by mistake. CRITICAL when the wallet pays such an address.',
  faq: 'Whom does it compare with? With the recipients of payments that the wallet has sent since the detector began; payments that a relayer sends for the wallet are not counted. Transfers of nothing are seen on EVM chains, VeChain and Tron only.',
  nextStep:
    'Do not copy addresses from the wallet’s history; compare every character of the recipient. If a payment went there, call the exchanges that it moves on to.',
  config,
  fields: ['kind', 'lookAlike', 'genuine', 'label', 'token', 'symbol', 'value', 'amount'],
  interests: (_config, { address }, chain) =>
    hasEvmDialect(chain.family)
      ? [
          { on: 'party', address, keys: [transferTopic] },
          { on: 'sender', address },
          { on: 'call', address },
        ]
      : [{ on: 'transfer', address }],
  evaluate(observation, context) {
    const { config: options, contract, state } = context;
    const movement = movementOf(observation, contract.address);
    if (!movement || !('block' in observation)) return {};
    const { number } = observation.block;
    const { from, to, units, isOwn } = movement;
    const isPayment = from === contract.address && isOwn;
    if (isPayment && units === 0n) return {};
    const counterparty = from === contract.address ? to : from;
    const paidBefore = (state?.paid ?? []).filter(([, block]) => block > number - options.past);
    const isKnown = paidBefore.some(([address]) => address === counterparty);
    const genuine = isKnown
      ? undefined
      : paidBefore.find(([address]) => isAlike(address, counterparty, options))?.[0];
    if (genuine !== undefined) {
      const why = `which looks like ${genuine} that ${contract.name} has paid`;
      return { detections: [toFound(movement, counterparty, { why, genuine }, isPayment, context)] };
    }
    const [scam] = isKnown ? [] : findLabelHits(context.read, [{ address: counterparty }], isScam);
    if (scam) {
      const label = showLabel(scam.label);
      return {
        detections: [
          toFound(movement, counterparty, { why: `known as ${label}`, label }, isPayment, context),
        ],
      };
    }
    if (!isPayment || counterparty === contract.address) return {};
    const paid: State['paid'] = [
      ...paidBefore.filter(([address]) => address !== counterparty),
      [counterparty, number],
    ];
    return { state: { paid: paid.slice(-options.history) } };
  },
});

function movementOf(observation: Observation, wallet: string): Movement | undefined {
  if (observation.type === 'transaction') {
    const { from, to, value } = observation.transaction;
    // A call without coins shows in no list of transfers.
    return to === null || value === 0n ? undefined : { from, to, units: value, token: native, isOwn: true };
  }
  if (observation.type === 'transfer') {
    const { from, to, amount, asset } = observation.transfer;
    return from === null || to === null ? undefined : { from, to, units: amount, token: asset, isOwn: true };
  }
  return observation.type === 'log'
    ? tokenMovement(observation.log, observation.transaction, wallet)
    : undefined;
}

/** Anybody's token can claim that the wallet has paid; what the wallet did itself came from or through it. */
function tokenMovement(log: Log, { from, to }: Transaction, wallet: string): Movement | undefined {
  const ends = endsOf(log);
  const units = logWords(log)[2];
  if (!ends || units === undefined) return undefined;
  const isOwn = from === wallet || to === wallet;
  return { from: ends[0], to: ends[1], units: BigInt(units), token: log.address, isOwn };
}

function isScam({ tags }: Label): boolean {
  return tags.includes('SCAM');
}

/** Common prefix of all addresses of a kind. */
const kindOf = /^(0x|bc1[qp]|[13])?/;

function isAlike(left: string, right: string, { prefix, suffix }: Config): boolean {
  const start = (kindOf.exec(left)?.[0].length ?? 0) + 2 * prefix;
  return (
    left.slice(0, start) === right.slice(0, start) && left.slice(-2 * suffix) === right.slice(-2 * suffix)
  );
}

function toFound(
  { from, units, token }: Movement,
  lookAlike: string,
  { why, ...evidence }: { why: string; genuine?: string; label?: string },
  isPayment: boolean,
  { contract, chain, read }: EvaluationContext<Config, State>,
) {
  const facts = assetFacts(read, chain, token);
  const shown = showAmount(units, facts);
  const isIncoming = from === lookAlike;
  const kind = isPayment ? 'payment' : units === 0n ? 'zeroValue' : isIncoming ? 'dust' : 'forged';
  const deed = isIncoming ? `sent ${shown} to ${contract.name}` : `appears as recipient of ${shown}`;
  return {
    ...(isPayment ? { severity: 'CRITICAL' as const } : {}),
    message: isPayment
      ? `${contract.name} paid ${shown} to ${lookAlike}, ${why}.`
      : `${lookAlike}, ${why}, ${deed}: take care not to copy it.`,
    fields: {
      kind,
      lookAlike,
      ...evidence,
      token,
      symbol: facts.symbol,
      value: units,
      amount: formatUnits(units, facts.decimals),
    },
  };
}
