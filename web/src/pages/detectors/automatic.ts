import type { Detector } from '../../../../sdk/src/index.ts';

type Made = { source: Detector['source'] };

/** A detector that Vigil makes with each contract, so that people find one that none of them switched on. */
export function isAutomatic({ source }: Made): boolean {
  return source === 'ATTACK_DETECTOR';
}

/** In a list, where the name of the detector stands beside it. */
export const automaticHint = 'On by itself for every contract';

export const automaticReason =
  'Vigil switched this detector on when the contract was added, as for every contract: it needs no settings and counts ' +
  'towards no limit of the plan. It raises an alert when an account or contract takes part in a transaction of the ' +
  'contract that has a label such as EXPLOIT, SANCTION or MIXER, or that got its first money from one. Switch it off if ' +
  'you do not want that.';
