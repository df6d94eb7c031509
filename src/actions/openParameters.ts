import { zip } from '../lib/zip.ts';
import type { FilledParameter, OpenParameter } from '../model/action.ts';
import { type fillCall, fillValue, parameterNames } from './fillCall.ts';

type Fillable = Parameters<typeof fillCall>[0] & {
  openParams: readonly OpenParameter[];
  wallet: { requireApproval: boolean };
};

/** The first parameter that scripts fill although the action, as it was approved, does not leave it open. */
export function findClosed(
  { openParams, wallet }: Pick<Fillable, 'openParams' | 'wallet'>,
  scripted: readonly string[],
): { name: string; reason: string } | undefined {
  if (!wallet.requireApproval) return undefined;
  const name = scripted.find((one) => !openParams.some((open) => open.name === one && hasBounds(open)));
  if (name === undefined) return undefined;
  const reason = `The wallet asks for approvals, and the action does not leave ${name} open: a script may fill only what the openParams of the action name with bounds.`;
  return { name, reason };
}

/** The reason why a script's value is outside of the approved bounds; undefined when all are inside. */
export function findBeyondBounds(
  action: Fillable,
  scripted: readonly string[],
  parameters: readonly FilledParameter[],
): string | undefined {
  if (!action.wallet.requireApproval) return undefined;
  for (const [name, { value }] of zip(parameterNames(action), parameters)) {
    const open = scripted.includes(name) && action.openParams.find((one) => one.name === name);
    if (open && !isWithin(action, open, value))
      return `The script of ${name} gives ${value}, which is beyond the openParams that were approved with the action.`;
  }
  return undefined;
}

/** One that states nothing is not open. */
export function hasBounds({ values, min, max, any }: OpenParameter): boolean {
  return any === true || values !== undefined || min !== undefined || max !== undefined;
}

function isWithin(action: Fillable, { name, values, min, max }: OpenParameter, value: string): boolean {
  if (values && !values.some((allowed) => fillValue(action, name, allowed) === value)) return false;
  if (min === undefined && max === undefined) return true;
  if (!/^-?\d+$/.test(value)) return false;
  const number = BigInt(value);
  return (min === undefined || number >= BigInt(min)) && (max === undefined || number <= BigInt(max));
}
