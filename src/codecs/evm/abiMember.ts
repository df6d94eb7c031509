import type { AbiParameter } from 'abitype';
import { elementOf } from './compileComparison.ts';

type Decoded = Readonly<Record<string, unknown>> | readonly unknown[];
export type AbiMember = { readonly parameter: AbiParameter; read(values: Decoded): unknown };

/**
 * Finds the parameter at a path and how to read it from decoded values: `amount`, `order.amount`, `ids.0`. Unnamed
 * parameters go by position. A RangeError lists the valid names.
 */
export function abiMember(parameters: readonly AbiParameter[], path: string): AbiMember {
  let within = parameters;
  let parameter: AbiParameter | undefined;
  const steps: ((value: unknown) => unknown)[] = [];
  for (const step of path.split('.')) {
    const element = parameter && elementOf(parameter);
    if (element) {
      if (!/^\d{1,6}$/.test(step))
        throw new RangeError(`"${path}" needs a position such as 0 where it says "${step}": that is a list.`);
      steps.push((value) => take(value, Number(step), ''));
      parameter = element;
    } else {
      const index = within.findIndex(({ name }, index) => (name || String(index)) === step);
      parameter = within[index];
      if (!parameter) throw new RangeError(unknownMember(path, within));
      const { name = '' } = parameter;
      steps.push((value) => take(value, index, name));
    }
    within = 'components' in parameter ? parameter.components : [];
  }
  if (!parameter) throw new RangeError(unknownMember(path, parameters));
  return {
    parameter: parameter,
    read: (values) => steps.reduce<unknown>((value, step) => step(value), values),
  };
}

/** Decoded structs are objects, or lists as soon as one of their members has no name. */
function take(value: unknown, index: number, name: string): unknown {
  if (Array.isArray(value)) return Reflect.get(value, index);
  return typeof value === 'object' && value !== null ? Reflect.get(value, name || String(index)) : undefined;
}

function unknownMember(path: string, within: readonly AbiParameter[]): string {
  const names = within.map(({ name }, index) => name || String(index));
  return `"${path}" is not there; ${names.length === 0 ? 'there is nothing to name' : `there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`}.`;
}
