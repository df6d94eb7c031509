import { caseOf } from '../../codecs/stellar/caseOf.ts';
import { withoutMuxing } from '../../codecs/stellar/strkey.ts';
import { isRecord, membersOf } from '../../lib/isRecord.ts';
import type { Raw } from '../net/members.ts';
import { amountOf } from './entries.ts';
import { assetName } from './network.ts';

type Key = Readonly<Record<string, unknown>>;
export type FindEntry = (key: Key) => Raw | null;

export const accountKey = (address: string): Key => ({ account: { account_id: withoutMuxing(address) } });
const lineKey = (holder: string, asset: unknown): Key => ({
  trustline: { account_id: withoutMuxing(holder), asset },
});

/** The entries that `checkOperation` looks at. */
export function keysOf(from: string, body: unknown): Key[] {
  const { name, held } = caseOf(body);
  const { asset, destination, trustor, from: holder } = membersOf(held);
  if (name === 'payment')
    return asset === 'native'
      ? [accountKey(String(destination))]
      : [lineKey(from, asset), lineKey(String(destination), asset)];
  if (name === 'set_trust_line_flags') return [lineKey(String(trustor), asset)];
  if (name === 'clawback') return [lineKey(String(holder), asset)];
  return [];
}

/** The reason why a classic operation would fail, which nodes do not simulate; undefined if none is visible. */
export function checkOperation(from: string, body: unknown, find: FindEntry): string | undefined {
  const { name, held } = caseOf(body);
  const { asset, destination, trustor, from: holder, amount } = membersOf(held);
  const issuer = assetName(asset).split(':')[1];
  const line = (address: string) => {
    const trustline = find(lineKey(address, asset))?.trustline;
    return isRecord(trustline) ? trustline : undefined;
  };
  if (name === 'payment') {
    const to = withoutMuxing(String(destination));
    if (asset === 'native') return find(accountKey(to)) ? undefined : `the account ${to} does not exist`;
    if (from !== issuer) {
      const trustline = line(from);
      if (!trustline) return `the wallet has no trustline for ${assetName(asset)}`;
      if (!(Number(trustline.flags) & 1)) return `the wallet is not authorised to use ${assetName(asset)}`;
      if (amountOf(trustline.balance) < amountOf(amount))
        return `the wallet has only ${String(trustline.balance)} stroops of ${assetName(asset)}`;
    }
    if (to === issuer) return undefined;
    const target = line(to);
    if (!target) return `${to} has no trustline for ${assetName(asset)}`;
    return Number(target.flags) & 1 ? undefined : `${to} is not authorised to use ${assetName(asset)}`;
  }
  if (name !== 'set_trust_line_flags' && name !== 'clawback') return undefined;
  if (from !== issuer) return `only the issuer of ${assetName(asset)} can do this, and the wallet is another`;
  const subject = String(trustor ?? holder);
  const subjectLine = line(subject);
  if (!subjectLine) return `${subject} has no trustline for ${assetName(asset)}`;
  if (name === 'set_trust_line_flags') return undefined;
  if (!(Number(subjectLine.flags) & 4)) return `the trustline of ${subject} does not allow clawback`;
  return amountOf(subjectLine.balance) < amountOf(amount)
    ? `${subject} has only ${String(subjectLine.balance)} stroops of ${assetName(asset)}`
    : undefined;
}
