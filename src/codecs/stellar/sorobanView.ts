import { isRecord, membersOf } from '../../lib/isRecord.ts';
import { caseOf } from './caseOf.ts';
import { toPlain, toScVal } from './scval.ts';
import { toParameter } from './sorobanItems.ts';
import { type Spec, type SpecType, specOf } from './spec.ts';

/** A call of a contract that is only simulated; arguments and the answer are in the JSON form of ScVal. */
export type SorobanQuery = { readonly name: string; readonly args: readonly unknown[] };

/** A function of the contract's Soroban spec, to be read. A RangeError says what is wrong. */
export function sorobanView(signature: string, abi: readonly unknown[]) {
  const spec = specOf(abi);
  if (!spec)
    throw new RangeError(
      'needs the Soroban spec in the contract’s abi, as `stellar contract info interface --output json` prints it.',
    );
  const name = signature.replace(/\(.*/s, '').trim();
  const item = spec.functions.get(name);
  if (!item)
    throw new RangeError(
      `The spec has no function ${name}; it has ${[...spec.functions.keys()].join(', ') || 'none'}.`,
    );
  const { inputs, outputs } = item;
  return {
    name,
    inputs: inputs.map((input) => toParameter(input.name, input.type, spec.types)),
    outputs: outputs.map((type) => toParameter('', type, spec.types)),
    encode(params: readonly unknown[]): string {
      const args = inputs.map((input, index) => toScVal(input.type, params[index], spec.types, input.name));
      const query: SorobanQuery = { name, args };
      const text = JSON.stringify(query);
      if (text.includes('{"address":"wallet"}'))
        throw new RangeError('An address must be given as such: no wallet signs what is only read.');
      return text;
    },
    decode: (data: string): readonly unknown[] =>
      outputs.map((type) => nameCases(type, toPlain(JSON.parse(data)), spec.types)),
  };
}

/** Cases of unions that hold nothing are lists of one name on the chain; people compare the name. */
function nameCases(type: SpecType, value: unknown, types: Spec['types']): unknown {
  if (typeof type === 'string') return value;
  const { name: kind, held: about } = caseOf(type);
  const { element_type: element, value_type: held, ok_type: ok, name } = membersOf(about);
  if (kind === 'option' && value !== null) return nameCases(held as SpecType, value, types);
  if (kind === 'result') return nameCases(ok as SpecType, value, types);
  if (kind === 'vec' && Array.isArray(value))
    return value.map((item: unknown) => nameCases(element as SpecType, item, types));
  const udt = kind === 'udt' ? types.get(String(name)) : undefined;
  if (udt && 'cases' in udt && Array.isArray(value))
    return value.length === 1 ? (value[0] as unknown) : value;
  if (udt && 'fields' in udt && isRecord(value))
    return Object.fromEntries(
      udt.fields.map((field) => [field.name, nameCases(field.type, value[field.name], types)]),
    );
  return value;
}
