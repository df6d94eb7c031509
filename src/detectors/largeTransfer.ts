import { type Static, Type } from 'typebox';
import { evmFormat } from '../chains/evm/abi/formats.ts';
import { decodeTransfer, type Transfer, transferTopic } from '../chains/evm/evidence/erc20Transfer.ts';
import { assetDecimalsIfKnown, assetFacts } from '../chains/evm/evidence/tokens.ts';
import { compareToAmount, formatUnits, native, showAmount } from '../evidence/amounts.ts';

import { Amount, Choice, Configuration } from '../evidence/parameters.ts';
import { type Detection, defineDetector, type Interest, type Observation } from '../model/detection.ts';

const config = Configuration(
  {
    threshold: Amount('Report transfers of at least this many whole tokens or coins.'),
    token: Type.Optional(
      Type.String({
        format: evmFormat.asset,
        description:
          'native, or the address of the token. Without it: the contract’s own token if it is one, and native coins to or from it.',
      }),
    ),
    direction: Choice(
      'Transfers to the contract, from it, or any; with `any` all transfers of its own token count.',
      ['in', 'out', 'any'],
      'any',
    ),
  },
  ['threshold'],
);

/** Decimals of the token, because comparing with the threshold needs them for every transfer. */
type State = { decimals: number };

export const largeTransfer = defineDetector<Static<typeof config>, State>({
  name: 'large_transfer',
  title: 'Large transfer',
  version: '1.0.0',
  category: 'FINANCIAL',
  severity: 'LOW',
  description: 'A single transfer of a token (ERC-20) or of native coins reaches a threshold.',
  faq: 'Does it see native coins that a contract pays out? Only those that a transaction carries itself; coins moved by inner calls are seen by tvl_drop and outflow_rate.',
  config,
  fields: ['from', 'to', 'token', 'symbol', 'amount', 'rawAmount', 'threshold'],
  interests({ token, direction }, { address }) {
    const wanted = token?.toLowerCase() ?? address;
    const interests: Interest[] = [];
    if (wanted === address && direction === 'any')
      interests.push({ on: 'log', address, keys: [transferTopic] });
    else if (wanted !== native) interests.push({ on: 'party', address, keys: [transferTopic] });
    if (token !== undefined && wanted !== native) return interests;
    if (direction !== 'out') interests.push({ on: 'call', address });
    if (direction !== 'in') interests.push({ on: 'sender', address });
    return interests;
  },
  evaluate(observation, { config: { threshold, token, direction }, contract, chain, state, read }) {
    const transfer = transferOf(observation);
    if (!transfer || transfer.amount === 0n) return {};
    const isFitting =
      direction === 'any' || contract.address === (direction === 'in' ? transfer.to : transfer.from);
    if (!isFitting) return {};
    if (transfer.token !== native && transfer.token !== (token?.toLowerCase() ?? contract.address)) return {};
    const isNative = transfer.token === native;
    const decimals = isNative
      ? chain.decimals
      : (state?.decimals ?? assetDecimalsIfKnown(read, chain, transfer.token));
    const after = isNative || state || decimals === undefined ? {} : { state: { decimals } };
    if (compareToAmount(threshold, transfer.amount, () => decimals) < 0) return after;
    // A failed transaction has moved nothing; one with logs has not failed.
    if (isNative && 'transaction' in observation && !read.receipt(observation.transaction.hash).isSuccess)
      return after;
    const facts = assetFacts(read, chain, transfer.token);
    const shown = { ...facts, decimals: decimals ?? facts.decimals };
    return { ...after, detections: [toDetection(transfer, shown, contract.name, threshold)] };
  },
});

type Moved = Transfer & { token: string };

function transferOf(observation: Observation): Moved | undefined {
  if (observation.type === 'log') {
    const transfer = decodeTransfer(observation.log);
    return transfer && { ...transfer, token: observation.log.address };
  }
  if (observation.type !== 'transaction') return undefined;
  const { from, to, value } = observation.transaction;
  return to === null ? undefined : { from, to, amount: value, token: native };
}

function toDetection(
  { from, to, amount, token }: Moved,
  facts: { symbol: string; decimals: number },
  name: string,
  threshold: string,
): Detection {
  return {
    // In thresholds, so that transfers of different tokens compare.
    magnitude: Number(formatUnits(amount, facts.decimals)) / (Number(threshold) || 1),
    message: `${showAmount(amount, facts)} moved from ${from} to ${to} (${name}).`,
    fields: {
      from,
      to,
      token,
      symbol: facts.symbol,
      amount: formatUnits(amount, facts.decimals),
      rawAmount: amount,
      threshold,
    },
  };
}
