import { parseSchedule } from '../lib/schedule.ts';
import type { Interest, Reader } from '../model/detection.ts';

/** Interval of polling controllers and code of a contract, on chains that keep both and report no change. */
export const controlLook: Interest = { on: 'block', schedule: parseSchedule('10 s') };

/** Those who may change the contract, in one order. */
export function readControllers(read: Reader, address: string): string[] {
  return read.storage(address, 'controllers').split(', ').filter(Boolean);
}

/** The hash of the code, `0x` where there is none. */
export function readModuleHash(read: Reader, address: string): string {
  return read.storage(address, 'module_hash');
}
