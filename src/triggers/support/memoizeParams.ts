import type { ContractFacts } from '../../model/detection.ts';

/** Caches what is derived from parameters: they stay one object as long as a trigger is loaded. */
export function memoizeParams<Params extends object, Rest extends readonly unknown[], T>(
  work: (params: Params, abi: readonly unknown[], ...rest: Rest) => T,
): (params: Params, contract: Pick<ContractFacts, 'abi'>, ...rest: Rest) => T {
  const cached = new WeakMap<Params, T>();
  return (params, { abi }, ...rest) => {
    let made = cached.get(params);
    if (made === undefined) {
      made = work(params, abi, ...rest);
      cached.set(params, made);
    }
    return made;
  };
}
