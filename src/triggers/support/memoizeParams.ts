import type { ContractFacts } from '../../model/detection.ts';

/** Caches what is derived from parameters: they stay one object as long as a trigger is loaded. */
export function memoizeParams<Params extends object, T>(
  work: (params: Params, abi: readonly unknown[]) => T,
): (params: Params, contract: Pick<ContractFacts, 'abi'>) => T {
  const cached = new WeakMap<Params, T>();
  return (params, { abi }) => {
    let made = cached.get(params);
    if (made === undefined) {
      made = work(params, abi);
      cached.set(params, made);
    }
    return made;
  };
}
