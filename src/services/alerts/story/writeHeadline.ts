import { groupDigits } from '../../../evidence/amounts.ts';
import { addDecimal, formatDecimal, parseDecimal } from '../../../lib/decimal.ts';
import { groupBy } from '../../../lib/groupBy.ts';
import { harmless } from '../../../lib/harmless.ts';
import { isSevere, type Severity } from '../../../model/alert.ts';
import type { IncidentProgress } from './judgeProgress.ts';
import type { IncidentLoss, IncidentLosses } from './sumLosses.ts';

type Facts = {
  /** Lost for good, or without that, tried. */
  losses: IncidentLosses;
  progress: IncidentProgress;
  contractName: (id: number) => string;
  /** Names or short addresses of the attackers. */
  by: readonly string[];
  transactions: number;
  strongest: { name: string; severity: Severity };
};

/** The incident in one sentence: what was lost, by whom, and whether it goes on. */
export function writeHeadline(facts: Facts): string {
  const { losses, progress, by, transactions, strongest } = facts;
  const who = listWords(by.slice(0, 2).map((name) => clean(name)));
  const ending = endingOf(progress);
  if (losses.losses.length === 0 && losses.usd === null) {
    const what = `${clean(strongest.name, 160)}${who && ` by ${who}`}; no loss is known`;
    // A payment or a deposit is nothing that goes on.
    const isLesser = !isSevere(strongest.severity) && unfinished.has(progress.state);
    return isLesser ? `${what}.` : `${what}, ${ending}.`;
  }
  const victims = listWords(
    [...new Set(losses.losses.map(({ contractId }) => facts.contractName(contractId)))]
      .slice(0, 2)
      .map((name) => clean(name)),
  );
  const lost = showLosses(losses);
  // A share stands between commas where the sentence goes on.
  const taken = lost.endsWith('of what it held') ? `${lost},` : lost;
  const often = transactions > 1 ? ` in ${transactions} transactions` : '';
  if (progress.state === 'PREVENTED')
    return `${who || 'Someone'} tried to take ${taken} from ${victims || 'the contract'}; nothing was lost, ${ending}.`;
  if (progress.state === 'PENDING')
    return `${who || 'Someone'} is about to take ${taken} from ${victims || 'the contract'}; ${ending}.`;
  return `${victims || 'The contract'} lost ${who || often ? taken : lost}${who && ` to ${who}`}${often}; ${ending}.`;
}

const unfinished: ReadonlySet<IncidentProgress['state']> = new Set(['ONGOING', 'QUIET']);

/** `500,000 DUSD and 3 ETH (1,234 USD), 100 % of what was held`. */
export function showLosses({ losses, usd }: IncidentLosses): string {
  const bySymbol = groupBy(losses, ({ asset }) => asset);
  const sums = Array.from(bySymbol.values(), sumOf);
  const shown = sums.slice(0, 3).map(({ amount, symbol }) => `${groupDigits(amount)} ${symbol}`);
  const more = sums.length > 3 ? [`${sums.length - 3} more assets`] : [];
  const worth = usd === null ? '' : `${groupDigits(String(usd))} USD`;
  const amounts = listWords([...shown, ...more]);
  const [only, ...others] = losses;
  const share =
    only && others.length === 0 && only.percent !== null && only.percent >= 1
      ? `, ${only.percent} % of what it held`
      : '';
  if (amounts === '') return worth;
  return `${amounts}${worth && ` (${worth})`}${share}`;
}

function sumOf(items: readonly [IncidentLoss, ...IncidentLoss[]]): { amount: string; symbol: string } {
  const amount = items.reduce((sum, loss) => addDecimal(sum, parseDecimal(loss.amount)), {
    units: 0n,
    scale: 0,
  });
  const [{ symbol, asset }] = items;
  const short = asset.length > 13 ? `${asset.slice(0, 6)}…${asset.slice(-4)}` : asset;
  return { amount: formatDecimal(amount), symbol: symbol ? clean(symbol, 32) : `of ${clean(short)}` };
}

function endingOf({ state, stoppedBy, failed }: IncidentProgress): string {
  const [failure] = failed;
  const broken = failure ? `, and the action ${clean(failure.name)} failed` : '';
  const stop =
    stoppedBy &&
    `${clean(stoppedBy.name)}${stoppedBy.blockNumber === null ? '' : ` in block ${stoppedBy.blockNumber}`}`;
  switch (state) {
    case 'PREVENTED':
      return stop ? `it was stopped by ${stop}` : 'it did not take effect';
    case 'STOPPED':
      return `it was stopped by ${stop}`;
    case 'PENDING':
      return `no block has it yet${broken}`;
    case 'ONGOING':
      return `it may go on${broken}`;
    case 'QUIET':
      return `nothing more has happened since, and nothing stopped it${broken}`;
    case 'RESOLVED':
      return 'it is resolved';
    case 'RETRACTED':
      return 'its blocks are no longer part of the chain, so that it did not happen';
  }
}

function clean(text: string, max = 80): string {
  return isShortAddress.test(text) ? text : harmless(text, max);
}

const isShortAddress = /^\w{1,10}…\w{1,10}$/;

function listWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
