import { type Static, Type } from 'typebox';
import { parseFunction, selectorOf } from '../codecs/evm/abi.ts';
import { decodeTransfer } from '../codecs/evm/erc20Transfer.ts';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { functionNamed } from '../codecs/evm/functionNamed.ts';
import { zeroAddress } from '../codecs/evm/words.ts';
import { percentOf, showAmount } from '../evidence/amounts.ts';
import { calledBy } from '../evidence/evm/calledBy.ts';
import { entriesInto, type ReentryEntry } from '../evidence/evm/entries.ts';
import { assetsShown, changesOf } from '../evidence/evm/losses.ts';
import { type Loss, lossOf, showNotRead } from '../evidence/evm/lossOf.ts';
import { readSupply } from '../evidence/evm/tokens.ts';
import { Addresses, Configuration, Flag, Percent } from '../evidence/parameters.ts';
import { lossMembers, severityByLoss } from '../evidence/severityByLoss.ts';
import type { Severity } from '../model/alert.ts';
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
  share: Percent(
    'From which loss on an entry is HIGH or CRITICAL, in per cent of what it held of an asset.',
    1,
    0,
  ),
  ...lossMembers,
  tokens: Addresses(
    'Tokens that the contract holds, so that their loss counts no matter who moves them.',
    50,
  ),
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
  recommendedFor: {
    ERC4626: () => ({
      reason: 'It is a vault (ERC-4626): being entered again halfway is how many were emptied.',
    }),
    POOL: () => ({ reason: 'It is a pool: being entered again halfway is how many were emptied.' }),
  },
  severity: 'AUTO',
  description:
    'Within a transaction the contract is entered again by another contract before an earlier call of it has returned. CRITICAL when coins are missing after it, HIGH when tokens are or shares have been made, LOW when nothing is or it was reverted. Needs nodes that trace.',
  faq: 'What about contracts that are entered again by design? What the contract asked for is left out: plain payments, the callback of the swap, flash loan or unlocking that it called, modules of a Safe, and all that is done with a manager of pools while it is unlocked. After a turn that it handed over itself (a flash loan that it gives), receipts of tokens and calls of its own token only a loss of coins, priced or named tokens counts for which nothing came in. Everything else is an entry: it is LOW where the contract reports something in an event and nothing is missing, and not reported where it neither does nor loses anything, as a router. What is a loss? By its share of what was held before, after all that came in with a price. Name further functions or callers that may enter.',
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
    'mintedPercent',
  ],
  interests: (_config, { address }) => [{ on: 'trace', address }],
  evaluate(observation, context) {
    if (observation.type !== 'trace') return {};
    const { config: settings, contract } = context;
    const { frames, transaction, block } = observation;
    const { first, count } = survey(frames, contract.address, settings);
    if (!first) return {};
    const { inner, outer, position } = first;
    const changes = inner.isReverted ? new Map<string, bigint>() : changesOf(context, transaction, frames);
    const loss = lossOf(
      context,
      { transaction, at: block.timestamp, changes },
      {
        tokens: settings.tokens,
        called: calledBy(frames, contract.address),
        isDoubtful: first.kind !== 'unasked',
      },
    );
    const verdict = judge(context, first, loss, transaction.logs);
    if (!verdict) return {};
    const name = ({ input }: Frame) =>
      functionNamed(input.slice(0, 10), contract.abi)?.name ?? input.slice(0, 10);
    const isPayment = inner.input.length < 10;
    const act = isPayment ? `paid ${contract.name}` : `entered ${name(inner)} of ${contract.name} again`;
    const more = count > 1 ? `, ${count} times in all` : '';
    return {
      detections: [
        {
          frame: position,
          severity: verdict.severity,
          magnitude: Math.max(count, loss.percent),
          message: `${inner.from} ${act} before ${name(outer)} had returned, in a transaction of ${transaction.from}${more}${verdict.ending}`,
          fields: {
            sender: transaction.from,
            caller: inner.from,
            function: isPayment ? undefined : name(inner),
            outerFunction: name(outer),
            entries: count,
            depth: inner.depth,
            isReverted: inner.isReverted,
            lost: loss.coins,
            percent: loss.percent,
            usd: loss.usd === undefined ? undefined : String(loss.usd),
            assets: loss.assets.length === 0 ? undefined : assetsShown(loss.assets),
            mintedPercent: verdict.mintedPercent,
          },
        },
      ],
    };
  },
});

type Verdict = { severity: Severity; ending: string; mintedPercent?: number };

/** Undefined where it is of no interest. */
function judge(
  context: EvaluationContext<Config, never>,
  { kind, inner }: ReentryEntry,
  loss: Loss,
  logs: readonly Log[],
): Verdict | undefined {
  const { config: settings, contract } = context;
  if (inner.isReverted) return { severity: 'LOW', ending: '; it was reverted.' };
  if (loss.percent > 0 && (loss.percent >= settings.share || (loss.usd ?? 0) >= settings.highUsd)) {
    const shown = loss.assets
      .slice(0, 3)
      .map(({ change, facts, percent }) => `${showAmount(-change, facts)} (${percent} %)`);
    const byLoss = severityByLoss(loss.percent, loss.usd, settings);
    const severity = loss.coins > 0n || byLoss === 'CRITICAL' ? 'CRITICAL' : 'HIGH';
    return { severity, ending: `. ${contract.name} lost ${shown.join(', ')}${showNotRead(loss)}.` };
  }
  if (loss.notRead > 0)
    return {
      severity: 'MEDIUM',
      ending: `. ${contract.name} paid out${showNotRead({ ...loss, assets: [] })}.`,
    };
  if (kind !== 'unasked') return undefined;
  const mintedPercent = mintedShare(context, logs);
  if (mintedPercent > 0 && mintedPercent >= settings.share)
    return {
      severity: 'HIGH',
      mintedPercent,
      ending: `. ${contract.name} made ${mintedPercent} % more of its own token.`,
    };
  if (inner.type === 'STATICCALL')
    return { severity: 'MEDIUM', ending: '. What it answered may not have been true.' };
  // A contract that keeps balances reports changes by events; a router has neither events nor anything to lose.
  if (!logs.some(({ address }) => address === contract.address)) return undefined;
  return { severity: 'LOW', ending: '. Nothing is missing after it.' };
}

/** The entry that says most, and how many of its kind there are: done before stopped, unasked before all that may be expected. */
function survey(frames: readonly Frame[], address: string, settings: Config) {
  const rules = {
    allowed: new Set(settings.allowedFunctions.map((signature) => selectorOf(parseFunction(signature)))),
    callers: new Set(settings.allowedCallers.map((caller) => caller.toLowerCase())),
    readOnly: settings.readOnly,
  };
  const firsts = new Map<string, { first: ReentryEntry; count: number }>();
  const paidBack = new Map<number, boolean>();
  const isLoan = (start: number) => {
    const isBack = paidBack.get(start) ?? isPaidBack(frames, address, start);
    paidBack.set(start, isBack);
    return isBack;
  };
  for (const entry of entriesInto(frames, address, rules)) {
    const key = rankOf(entry, frames, isLoan, settings);
    const cached = firsts.get(key);
    if (cached) cached.count++;
    else if (key !== '') firsts.set(key, { first: entry, count: 1 });
  }
  const gravest = order.map((key) => firsts.get(key)).find((candidate) => candidate !== undefined);
  return gravest ?? { first: undefined, count: 0 };
}

const order = ['unasked', 'expected', 'payment', 'stopped'];

function rankOf(
  { kind, inner, outerPosition }: ReentryEntry,
  frames: readonly Frame[],
  isLoan: (start: number) => boolean,
  { attempts }: Config,
): string {
  // A frame that was reverted with everything around it was not stopped by a guard.
  const isStopped = inner.error !== undefined || frames[inner.parent]?.isReverted === false;
  if (inner.isReverted) return attempts && kind === 'unasked' && isStopped ? 'stopped' : '';
  return kind === 'payment' && !isLoan(outerPosition) ? '' : kind;
}

/** True where within a call of it the contract paid coins and got as many: who then pays may have paid with its own. */
function isPaidBack(frames: readonly Frame[], address: string, start: number): boolean {
  const { depth } = frames[start]!;
  let [paid, got] = [0n, 0n];
  for (let position = start; position < frames.length; position++) {
    const { type, from, to, value, depth: frameDepth, isReverted } = frames[position]!;
    if (position > start && frameDepth <= depth) break;
    if (isReverted || type === 'CALLCODE' || from === to) continue;
    if (from === address) paid += value;
    if (to === address) got += value;
  }
  return paid > 0n && got >= paid;
}

/** By how many per cent there are more of the contract's own token after the transaction. */
function mintedShare(
  { contract: { address }, read }: EvaluationContext<Config, never>,
  logs: readonly Log[],
): number {
  let minted = 0n;
  for (const log of logs) {
    const transfer = log.address === address ? decodeTransfer(log) : undefined;
    if (transfer?.from === zeroAddress) minted += transfer.amount;
    if (transfer?.to === zeroAddress) minted -= transfer.amount;
  }
  const supply = minted > 0n ? read.optional(() => readSupply(read, address, 'parent')) : undefined;
  return supply === undefined || supply === 0n ? 0 : percentOf(minted, supply);
}
