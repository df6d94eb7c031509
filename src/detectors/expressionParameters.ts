import { eventShape, functionShape } from '../evidence/contractInterface.ts';

/** What `e.args` of a custom kind has: the names of the parameters of its signature; one without a name is called by its place. */
export function expressionParameters(
  kind: string,
  signature: unknown,
  abi: readonly unknown[],
): string[] | undefined {
  if (typeof signature !== 'string') return undefined;
  const { inputs } = (kind === 'custom_event' ? eventShape : functionShape)(signature, abi).item;
  return inputs.map(({ name }, at) => name || String(at));
}
