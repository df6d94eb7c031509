import type { Static } from 'typebox';
import { decodeTransfer } from '../chains/evm/evidence/erc20Transfer.ts';
import { assetDecimalsIfKnown, assetFacts } from '../chains/evm/evidence/tokens.ts';
import { compareToAmount, formatUnits, native, showAmount } from '../evidence/amounts.ts';
import { ledgerOf } from '../evidence/ledgerOf.ts';
import { Amount, Configuration } from '../evidence/parameters.ts';
import { parseDecimal } from '../lib/decimal.ts';
import { defineTrigger, type Observation } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';
import { directionMember, isDirected, tokenMember, transferInterests } from './support/transfers.ts';

const params = Configuration({
  direction: directionMember,
  minAmount: Amount('Only transfers of at least this many whole tokens.', '0'),
  token: tokenMember,
});

/** Decimals of the one token that is looked for, because comparing with an amount needs them for every transfer. */
type State = { decimals: number };

export const erc20Transfer = defineTrigger<Static<typeof params>, State>({
  type: 'ERC20_TRANSFER',
  families: [...evmDialect, 'solana', 'stellar', 'icp'],
  description:
    'Tokens (ERC-20, on Solana SPL, on the Internet Computer ICRC-1) go to or from the watched address or, when that is a token, between any addresses.',
  params,
  fields: ['from', 'to', 'token', 'symbol', 'amount', 'rawAmount'],
  interests: (config, contract, chain) =>
    hasEvmDialect(chain.family)
      ? transferInterests(config, contract)
      : [{ on: 'transfer', address: contract.address }, ...ledgerOf(config.token, chain)],
  evaluate(observation, { config, contract, chain, state, read }) {
    const transfer = transferIn(observation);
    // A transfer of nothing costs its sender nothing, and is how strangers get themselves noticed.
    if (!transfer || transfer.amount === 0n) return {};
    const { token } = transfer;
    const wanted = config.token;
    if (token !== (wanted ?? token) || !isDirected(config.direction, contract.address, transfer)) return {};
    const isTheOne = token === (wanted ?? contract.address);
    let after: { state?: State } = {};
    if (parseDecimal(config.minAmount).units > 0n) {
      const decimals = (isTheOne ? state?.decimals : undefined) ?? assetDecimalsIfKnown(read, chain, token);
      if (isTheOne && !state && decimals !== undefined) after = { state: { decimals } };
      if (compareToAmount(config.minAmount, transfer.amount, () => decimals) < 0) return after;
    }
    const facts = assetFacts(read, chain, token);
    const { from, to, amount } = transfer;
    return {
      ...after,
      detections: [
        {
          message: `${showAmount(amount, facts)} moved from ${from} to ${to} (${contract.name}).`,
          fields: {
            from,
            to,
            token,
            symbol: facts.symbol,
            amount: formatUnits(amount, facts.decimals),
            rawAmount: amount,
          },
        },
      ],
    };
  },
});

function transferIn(observation: Observation) {
  if (observation.type === 'log') {
    const { log } = observation;
    const transfer = decodeTransfer(log);
    return transfer && { ...transfer, token: log.address };
  }
  if (observation.type !== 'transfer' || observation.transfer.asset === native) return undefined;
  const { asset: token, from, to, amount } = observation.transfer;
  // Tokens that come into being come from the mint; those that are burned go to no one.
  return { token, from: from ?? 'the mint', to: to ?? 'no one (burned)', amount };
}
