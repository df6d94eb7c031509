import type { ContractFacts } from '../../model/detection.ts';

/** Works out once what follows from parameters: they are one object for as long as a trigger is in force. */
export function oncePer<Params extends object, T>(
  work: (params: Params, abi: readonly unknown[]) => T,
): (params: Params, contract: Pick<ContractFacts, 'abi'>) => T {
  const known = new WeakMap<Params, T>();
  return (params, { abi }) => {
    let made = known.get(params);
    if (made === undefined) {
      made = work(params, abi);
      known.set(params, made);
    }
    return made;
  };
}
