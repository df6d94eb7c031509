import type { Severity } from '../../model/alert.ts';
import { severityOf } from '../../model/alert.ts';
import type { Block } from '../../model/block.ts';
import type { Reader } from '../../model/detection.ts';
import { hasKnownWorth } from './hasKnownWorth.ts';
import type { Holder } from './losses.ts';

/**
 * Evidence for a token without a name or a price. known: the holder called it. claimed: only its own logs and balances.
 * untraced: no node shows the calls. worthless: only those who made or took it ever gave it to the holder.
 */
export type Trust = Vouched | 'worthless';
export type Vouched = 'known' | 'claimed' | 'untraced';

/** Looks at the calls of these transactions, which should be few: each may cost a trace. */
export function vouchedBy(
  read: Reader,
  { transactions }: Block,
  token: string,
  holder: string,
  hashes: readonly string[],
): Vouched {
  const isDirect = transactions.some(
    ({ hash, from, to }) => from === holder && to === token && hashes.includes(hash),
  );
  if (isDirect) return 'known';
  const traces = read.all([...new Set(hashes)].map((hash) => () => read.degradable(() => read.trace(hash))));
  const isCalled = traces.some((calls) =>
    calls?.some(({ type, from, to }) => type === 'CALL' && from === holder && to === token),
  );
  if (isCalled) return 'known';
  return traces.every((calls) => calls) ? 'claimed' : 'untraced';
}

/** The evidence for the loss of a token: a call of the holder vouches for its move, but not for its worth. */
export function trustInLoss(holder: Holder, block: Block, token: string, hashes: readonly string[]): Trust {
  const trust = vouchedBy(holder.read, block, token, holder.contract.address, hashes);
  if (trust === 'claimed') return trust;
  const takings = block.transactions.filter(({ hash }) => hashes.includes(hash));
  return hasKnownWorth(holder, takings, token) ? trust : 'worthless';
}

/** The severity that a finding may have on such evidence: anyone can cause a claim for the price of a transaction. */
export function severityByTrust(severity: Severity, trust: Trust): Severity {
  const most: Severity = trust === 'known' ? 'CRITICAL' : trust === 'untraced' ? 'MEDIUM' : 'LOW';
  return severityOf[severity] > severityOf[most] ? most : severity;
}

/** The end of a message, as a sentence of its own. */
export function showTrust(trust: Trust): string {
  if (trust === 'known') return '';
  if (trust === 'worthless')
    return ' It is a token of no known worth: its takers or its maker are the only ones who ever gave it to the contract. Name it in the configuration if it is worth something.';
  const words = trust === 'claimed' ? 'Nothing but the token' : 'Without traces, nothing but the token';
  return ` ${words} says so; name it in the configuration if it is worth something.`;
}
