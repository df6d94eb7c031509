import { formatUnits, native, percentOf, showAmount } from '../evidence/amounts.ts';
import { calledBy } from '../evidence/evm/calledBy.ts';
import { withoutKnownWorth } from '../evidence/evm/hasKnownWorth.ts';
import { chooseAssets, standingOf } from '../evidence/evm/losses.ts';
import { changesIn } from '../evidence/evm/pulls.ts';
import { assetFacts, tryHolding } from '../evidence/evm/tokens.ts';
import { projectOf } from '../evidence/projectOf.ts';
import { severityByShare } from '../evidence/severityByShare.ts';
import type { Frame, Transaction } from '../model/block.ts';
import type { Detection, Detector, EvaluationContext, EvaluationResult } from '../model/detection.ts';
import { coinChangeOf } from '../model/frames.ts';
import { reentrancy as ownReentrancy } from './reentrancy.ts';

/** The least share of what both held whose loss is worth a look: protocols enter their own contracts in many ways. */
const leastPercent = 1;
const mediumPercent = 5;

/** As for one contract, and where the one that is entered while a call is open is another one of the project. */
export const reentrancy: Detector = {
  ...ownReentrancy,
  description: `${ownReentrancy.description} Also where another contract of the project is entered meanwhile and something is missing from both together: from 50 % CRITICAL, from 20 % HIGH, from 5 % MEDIUM, from 1 % LOW.`,
  fields: [...new Set([...ownReentrancy.fields, 'entered', 'percent', 'assets'])],
  evaluate(observation, context) {
    const ownResult = ownReentrancy.evaluate(observation, context);
    if (observation.type !== 'trace' || (ownResult.detections?.length ?? 0) > 0) return ownResult;
    return judgeProject(observation.transaction, observation.frames, context);
  },
};

function judgeProject(
  transaction: Transaction,
  frames: readonly Frame[],
  context: EvaluationContext<unknown, unknown>,
): EvaluationResult<unknown> {
  const { contract } = context;
  const entry = entryElsewhere(frames, contract.address, projectOf(contract));
  if (!entry) return {};
  const { position, inner } = entry;
  const { lost, notRead } = lossesOf(context, transaction, frames, [contract.address, inner.to]);
  const [worst] = lost;
  if (!worst || (worst.percent < leastPercent && notRead === 0)) return {};
  const shown = lost
    .slice(0, 3)
    .map(({ amount, facts, percent }) => `${showAmount(amount, facts)} (${percent} %)`);
  const detection: Detection = {
    frame: position,
    severity: notRead > 0 && worst.percent < mediumPercent ? 'MEDIUM' : severityByShare(worst.percent),
    magnitude: worst.percent,
    message: `${inner.from} entered ${context.contract.own?.[inner.to]?.name ?? inner.to} while a call of ${contract.name} had not returned, in a transaction of ${transaction.from}. Both together lost ${shown.join(', ')}${notRead === 0 ? '' : ` and ${notRead} more tokens, which were not looked at`}.`,
    fields: {
      sender: transaction.from,
      caller: inner.from,
      entered: inner.to,
      depth: inner.depth,
      isReverted: false,
      percent: worst.percent,
      assets: lost.map(({ asset, amount, facts, percent }) => ({
        asset,
        symbol: facts.symbol,
        change: formatUnits(-amount, facts.decimals),
        percent,
      })),
    },
  };
  return { detections: [detection] };
}

/** The first call by a stranger of another contract of the project while a call of this one is open. */
function entryElsewhere(frames: readonly Frame[], address: string, isProject: (address: string) => boolean) {
  /** For each frame whether a call of the contract is open around it. */
  const isOpen = new Uint8Array(frames.length);
  for (let position = 0; position < frames.length; position++) {
    const { type, from, to, parent, input, isReverted } = frames[position]!;
    const isWithin = parent >= 0 && isOpen[parent] === 1;
    const isCall = type === 'CALL' && input.length >= 10;
    if (isWithin || (isCall && to === address)) isOpen[position] = 1;
    if (isWithin && isCall && !isReverted && to !== address && isProject(to) && !isProject(from))
      return { position, inner: frames[position]! };
  }
  return undefined;
}

/** Joint losses of these contracts: coins, and tokens that they call themselves. */
function lossesOf(
  { contract, chain, read }: EvaluationContext<unknown, unknown>,
  transaction: Transaction,
  frames: readonly Frame[],
  addresses: readonly string[],
) {
  const called = addresses.flatMap((address) => [...calledBy(frames, address)]);
  const standing = standingOf([], chain, new Set(called));
  const changes = [...changesIn(transaction.logs, new Set(addresses)).values()];
  const changed = [...new Set(called)]
    .map((asset) => ({ asset, change: changes.reduce((sum, change) => sum + (change.get(asset) ?? 0n), 0n) }))
    .filter(({ change }) => change < 0n);
  const { looked, notRead } = chooseAssets(
    changed.map(({ asset }) => asset),
    standing,
  );
  const tokens = changed.filter(({ asset }) => looked.includes(asset));
  const coins = addresses.reduce((sum, address) => sum + coinChangeOf(frames, address), 0n);
  const lost = [...(coins < 0n ? [{ asset: native, change: coins }] : []), ...tokens];
  const judged = read
    .all(
      lost.map(({ asset, change }) => () => {
        const held = read
          .all(addresses.map((address) => () => tryBalance(asset, address)))
          .reduce((sum, amount) => sum + amount, 0n);
        return {
          asset,
          amount: -change,
          percent: held === 0n ? 0 : percentOf(-change, held),
          facts: assetFacts(read, chain, asset),
        };
      }),
    )
    .sort((a, b) => b.percent - a.percent);
  const doubted = judged.filter(({ asset }) => standing(asset) === 'called').map(({ asset }) => asset);
  const worthless = withoutKnownWorth({ contract, chain, read }, [transaction], doubted);
  return { lost: judged.filter(({ asset }) => !worthless.has(asset)), notRead: notRead.length };

  function tryBalance(asset: string, address: string): bigint {
    return asset === native
      ? read.balance(address, 'parent')
      : (tryHolding(read, asset, address, 'parent') ?? 0n);
  }
}
