import { type Static, Type } from 'typebox';
import { decodeTransfer } from '../codecs/evm/erc20Transfer.ts';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { compareToAmount, formatUnits, native, showAmount } from '../evidence/amounts.ts';
import { assetDecimalsIfKnown, assetFacts } from '../evidence/evm/tokens.ts';
import { movesUniqueToken } from '../evidence/evm/uniqueToken.ts';
import { ledgerOf } from '../evidence/ledgerOf.ts';
import { Amount, Configuration } from '../evidence/parameters.ts';
import { parseDecimal } from '../lib/decimal.ts';
import { type Detection, defineTrigger, type Interest, type Observation } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';
import { directionMember, isDirected, transferInterests } from './support/transfers.ts';

const params = Configuration({
  direction: directionMember,
  minAmount: Amount('Only transfers of at least this many whole tokens.', '0'),
  token: Type.Optional(
    Type.String({
      format: evmFormat.asset,
      description:
        'The token: its address, on Tron also the id of a TRC-10 token. Without it: any token that the watched address sends or gets and, if it is a token itself, all transfers of it.',
    }),
  ),
});

/** Decimals of the one token that is looked for, because comparing with an amount needs them for every transfer. */
type State = { decimals: number };

export const erc20Transfer = defineTrigger<Static<typeof params>, State>({
  type: 'ERC20_TRANSFER',
  families: [...evmDialect, 'solana', 'stellar', 'icp'],
  description:
    'Tokens (ERC-20, on Tron also TRC-10, on Solana SPL, on Stellar assets, on the Internet Computer ICRC-1) go to or from the watched address or, when that is a token, between any addresses. Transfers of nothing are left out.',
  params,
  fields: ['from', 'to', 'token', 'symbol', 'amount', 'rawAmount'],
  check: ({ token }) =>
    token !== undefined && noTokens.includes(token)
      ? [
          {
            pointer: '/token',
            code: 'not-a-token',
            message: 'is no token: NATIVE_TRANSFER sees the coins of the chain.',
          },
        ]
      : [],
  interests(config, contract, chain) {
    if (!hasEvmDialect(chain.family))
      return [{ on: 'transfer', address: contract.address }, ...ledgerOf(config.token, chain)];
    const { token } = config;
    // TRC-10 tokens have no contract that would log what they do.
    const touch: Interest[] =
      chain.family === 'tron' && (token === undefined || isTrc10(token))
        ? [{ on: 'touch', address: contract.address }]
        : [];
    return isTrc10(token) ? touch : [...transferInterests(config, contract), ...touch];
  },
  evaluate(observation, { config, contract, chain, state, read }) {
    let after: { state?: State } = {};
    const wanted = config.token;
    const detections = transfersIn(observation).flatMap((transfer, index): Detection[] => {
      const { token, from, to, amount } = transfer;
      // A transfer of nothing costs its sender nothing, and is how strangers get themselves noticed.
      if (amount === 0n || token !== (wanted ?? token)) return [];
      if (!isDirected(config.direction, contract.address, transfer)) return [];
      if (observation.type === 'log' && movesUniqueToken(read, observation.log)) return [];
      const isTheOne = token === (wanted ?? contract.address);
      if (parseDecimal(config.minAmount).units > 0n) {
        const decimals = (isTheOne ? state?.decimals : undefined) ?? assetDecimalsIfKnown(read, chain, token);
        if (isTheOne && !state && decimals !== undefined) after = { state: { decimals } };
        if (compareToAmount(config.minAmount, amount, () => decimals) < 0) return [];
      }
      const isOfTransaction = observation.type === 'transaction';
      if (isOfTransaction && !read.receipt(observation.transaction.hash).isSuccess) return [];
      if (isOfTransaction && ![from, to].includes(contract.address)) return [];
      const facts = assetFacts(read, chain, token);
      return [
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
          ...(isOfTransaction && { part: `${token} ${index}` }),
        },
      ];
    });
    return { ...after, detections };
  },
});

/** Assets that are held like tokens and are none. */
const noTokens = [native, 'energy', 'bandwidth'];

/** The id of a TRC-10 token. */
function isTrc10(token: string | undefined): boolean {
  return token !== undefined && /^\d{7}$/.test(token);
}

function transfersIn(observation: Observation) {
  if (observation.type === 'log') {
    const { log } = observation;
    const transfer = decodeTransfer(log);
    return transfer ? [{ ...transfer, token: log.address }] : [];
  }
  const moved =
    observation.type === 'transfer'
      ? [observation.transfer]
      : observation.type === 'transaction'
        ? observation.transaction.transfers
        : [];
  return moved.flatMap(({ asset: token, from, to, amount }) =>
    token === native
      ? []
      : // Tokens that come into being come from the mint; those that are burned go to no one.
        [{ token, from: from ?? 'the mint', to: to ?? 'no one (burned)', amount }],
  );
}
