import { eventShape, functionShape } from '../evidence/contractInterface.ts';

/** Members of `e.args` in a custom kind: the parameters of its signature, by name or else by position. */
export function expressionParameters(
  kind: string,
  signature: unknown,
  abi: readonly unknown[],
): string[] | undefined {
  if (typeof signature !== 'string') return undefined;
  const { inputs } = (kind === 'custom_event' ? eventShape : functionShape)(signature, abi).item;
  return inputs.map(({ name }, index) => name || String(index));
}
