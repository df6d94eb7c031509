import { type Static, Type } from 'typebox';
import { parseFunction, selectorOf } from '../chains/evm/abi/abi.ts';
import { evmFormat } from '../chains/evm/abi/evmFormat.ts';
import { zeroAddress } from '../chains/evm/abi/words.ts';
import { calledBy } from '../chains/evm/evidence/calledBy.ts';
import { functionNamed } from '../chains/evm/evidence/describeCall.ts';
import { type Entry, entriesInto } from '../chains/evm/evidence/entries.ts';
import { decodeTransfer } from '../chains/evm/evidence/erc20Transfer.ts';
import {
  assetsShown,
  changesOf,
  joinCoins,
  standingOf,
  type Taken,
  type Valued,
  valuesOf,
} from '../chains/evm/evidence/losses.ts';
import { readSupply } from '../chains/evm/evidence/tokens.ts';
import { wrappedCoinOf } from '../chains/evm/evidence/wrappedCoins.ts';
import { native, percentOf, showAmount } from '../evidence/amounts.ts';
import { Addresses, Configuration, Flag } from '../evidence/parameters.ts';
import { lossMembers, severityByLoss } from '../evidence/severityByLoss.ts';
import { type Severity, severityOf } from '../model/alert.ts';
import type { Frame, Log } from '../model/block.ts';
import { defineDetector, type EvaluationContext } from '../model/detection.ts';

const config = Configuration({
  allowedCallers: Addresses('Contracts that may enter it again, such as your own modules.'),
  allowedFunctions: Type.Array(Type.String({ format: evmFormat.functionSignature }), {
    description: 'Functions that may be entered again, such as the one by which a flash loan is paid back.',
    default: [],
    maxItems: 100,
    uniqueItems: true,
  }),
  share: Type.Number({
    description: 'From which loss on an entry is HIGH or CRITICAL, in per cent of what it held of an asset.',
    default: 1,
    minimum: 0,
    maximum: 100,
  }),
  ...lossMembers,
  tokens: Addresses('Tokens that the contract holds, so that their loss counts whoever moves them.', 50),
  readOnly: Flag('Report also functions that only read, which can give false values in between.', false),
  attempts: Flag('Report also what was reverted, as a guard against it does.', true),
});
type Config = Static<typeof config>;

export const reentrancy = defineDetector<Config, never>({
  name: 'reentrancy',
  title: 'Reentrancy',
  version: '1.1.0',
  category: 'SECURITY',
  families: ['evm'],
  severity: 'AUTO',
  description:
    'Within a transaction the contract is entered again by another contract before an earlier call of it has returned. CRITICAL when coins are missing after it, HIGH when tokens are or shares have been made, LOW when nothing is or it was reverted. Needs nodes that trace.',
  faq: 'What about contracts that are entered again by design? What the contract asked for is left out: plain payments, the callback of the swap, flash loan or unlocking that it called, receipts of tokens, and modules of a Safe. After a turn that it handed over itself (a flash loan that it gives, a pool manager that it unlocks) and calls of its own token only a loss of coins, priced or named tokens counts for which nothing came in. Everything else is an entry: it is LOW where the contract reports something in an event and nothing is missing, and not reported where it neither does nor loses anything, as a router. What is a loss? By its share of what was held before, after all that came in with a price. Name further functions or callers that may enter.',
  nextStep:
    'Open the trace of the transaction and compare what left the contract with what was due. Pause it if more did.',
  config,
  pending: true,
  fields: [
    'sender',
    'caller',
    'function',
    'outerFunction',
    'entries',
    'depth',
    'isReverted',
    'lost',
    'percent',
    'usd',
    'assets',
    'minted',
  ],
  interests: (_config, { address }) => [{ on: 'trace', address }],
  evaluate(observation, context) {
    if (observation.type !== 'trace') return {};
    const { config: settings, contract, chain } = context;
    const { frames, transaction, block } = observation;
    const found = survey(frames, contract.address, settings);
    const first = found.live ?? found.stopped;
    if (!first) return {};
    const { inner, outer, position } = first;
    const { isReverted } = inner;
    const loss = isReverted
      ? nothing
      : judgeLoss(context, { transaction, frames, at: block.timestamp }, first.kind);
    const isLoss = loss.percent >= settings.share || (loss.usd ?? 0) >= settings.highUsd;
    const minted =
      isLoss || first.kind !== 'unasked' || isReverted ? 0 : mintedShare(context, transaction.logs);
    const isMint = minted > 0 && minted >= settings.share;
    const isShown =
      isReverted ||
      isLoss ||
      isMint ||
      (first.kind === 'unasked' && keepsBooks(transaction.logs, contract.address)) ||
      inner.type === 'STATICCALL';
    if (!isShown) return {};
    const severity: Severity = isLoss
      ? loss.hasCoins
        ? 'CRITICAL'
        : worse('HIGH', severityByLoss(loss.percent, loss.usd, settings))
      : isMint
        ? 'HIGH'
        : !isReverted && inner.type === 'STATICCALL'
          ? 'MEDIUM'
          : 'LOW';
    const name = ({ input }: Frame) =>
      input.length < 10
        ? 'a payment'
        : (functionNamed(input.slice(0, 10), contract.abi)?.name ?? input.slice(0, 10));
    const entered = inner.input.length < 10 ? `paid ${contract.name}` : `entered ${name(inner)} of ${contract.name} again`;
    const more = found.count > 1 ? `, ${found.count} times in all` : '';
    const shown = loss.lost
      .slice(0, 3)
      .map(({ change, facts, percent }) => `${showAmount(-change, facts)} (${percent} %)`);
    const ending = isReverted
      ? '; it was reverted.'
      : isLoss
        ? `. ${contract.name} lost ${shown.join(', ')}.`
        : isMint
          ? `. ${contract.name} made ${minted} % more of its own token.`
          : '. Nothing is missing after it.';
    return {
      detections: [
        {
          frame: position,
          severity,
          magnitude: isLoss ? Math.max(found.count, loss.percent) : found.count,
          message: `${inner.from} ${entered} before ${name(outer)} had returned, in a transaction of ${transaction.from}${more}${ending}`,
          fields: {
            sender: transaction.from,
            caller: inner.from,
            function: name(inner),
            outerFunction: name(outer),
            entries: found.count,
            depth: inner.depth,
            isReverted,
            lost: loss.coins,
            percent: isLoss ? loss.percent : undefined,
            usd: loss.usd === undefined ? undefined : String(loss.usd),
            assets: loss.lost.length === 0 ? undefined : assetsShown(loss.lost),
            minted: isMint ? minted : undefined,
          },
        },
      ],
    };

    function worse(a: Severity, b: Severity): Severity {
      return severityOf[a] > severityOf[b] ? a : b;
    }
  },
});
