import type { Change } from '../../model/block.ts';
import { listOf, recordOf, textOf } from '../net/members.ts';
import { amountOf } from './amountOf.ts';
import { fromNode } from './tronAddress.ts';

/** Replaced permissions of an account: the owner's, and each by its name. */
export function findChanges(subject: string, update: Readonly<Record<string, unknown>>): Change[] {
  const { owner, witness, actives } = update;
  const rest = [...(witness === undefined ? [] : [witness]), ...listOf(actives ?? [], 'actives')];
  return [
    ...(owner === undefined
      ? []
      : [{ subject, what: 'owner', after: describe(owner), position: 0 } as const]),
    ...rest.map((permission, index): Change => {
      const name = textOf(recordOf(permission).permission_name ?? 'unnamed', 'permission_name');
      return {
        subject,
        what: 'permission',
        part: `permission ${name}`,
        after: describe(permission),
        position: index + 1,
      };
    }),
  ];
}

/** One key that suffices alone is that address; else the keys with their weights, and the sum that is needed. */
function describe(permission: unknown): string {
  const { keys, threshold } = recordOf(permission);
  const members = listOf(keys ?? [], 'keys').map((key) => {
    const { address, weight } = recordOf(key);
    return { address: fromNode(address), weight: amountOf(weight) };
  });
  const needed = amountOf(threshold ?? 1);
  const [only, ...more] = members;
  if (only && more.length === 0 && only.weight >= needed) return only.address;
  return `${needed} of ${members.map(({ address, weight }) => `${address} (${weight})`).join(', ')}`;
}
