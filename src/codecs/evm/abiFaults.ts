import { isRecord } from '../../lib/isRecord.ts';
import type { Fault } from '../../model/errors.ts';

const itemTypes = ['function', 'event', 'error', 'constructor', 'fallback', 'receive'];
const named = ['function', 'event', 'error'];
const mutabilities = ['pure', 'view', 'nonpayable', 'payable'];
const maxDepth = 20;
const maxFaults = 100;

/** The faults of a contract ABI in JSON form; pointers begin with `root`. */
export function abiFaults(abi: readonly unknown[], root: string): Fault[] {
  const faults: Fault[] = [];
  for (const [index, item] of abi.entries()) {
    if (faults.length >= maxFaults) break;
    faults.push(...itemFaults(item, `${root}/${index}`));
  }
  return faults.slice(0, maxFaults);
}

function itemFaults(item: unknown, pointer: string): Fault[] {
  if (!isRecord(item)) return [fault(pointer, 'must be an object.')];
  const { type, name, inputs, outputs, stateMutability, anonymous } = item;
  if (typeof type !== 'string' || !itemTypes.includes(type))
    return [fault(`${pointer}/type`, `must be one of ${itemTypes.join(', ')}.`)];
  const isNamed = named.includes(type);
  const faults: Fault[] = [];
  if (isNamed && (typeof name !== 'string' || !/^[A-Za-z_$][\w$]{0,255}$/.test(name)))
    faults.push(fault(`${pointer}/name`, `must be the name of the ${type}, such as transfer.`));
  if (isNamed || type === 'constructor' || inputs !== undefined)
    faults.push(...parameterFaults(inputs, `${pointer}/inputs`, type === 'event'));
  if (type === 'function' && outputs !== undefined)
    faults.push(...parameterFaults(outputs, `${pointer}/outputs`, false));
  if (stateMutability !== undefined && !mutabilities.some((word) => word === stateMutability))
    faults.push(fault(`${pointer}/stateMutability`, `must be one of ${mutabilities.join(', ')}.`));
  if (anonymous !== undefined && typeof anonymous !== 'boolean')
    faults.push(fault(`${pointer}/anonymous`, 'must be true or false.'));
  return faults;
}

function parameterFaults(parameters: unknown, pointer: string, isEvent: boolean, depth = 0): Fault[] {
  if (!Array.isArray(parameters)) return [fault(pointer, 'must be an array of parameters; [] for none.')];
  if (depth > maxDepth) return [fault(pointer, `must not be nested deeper than ${maxDepth} structs.`)];
  return parameters.flatMap((parameter: unknown, index) => {
    const path = `${pointer}/${index}`;
    if (!isRecord(parameter)) return [fault(path, 'must be an object.')];
    const { type, name, indexed, components } = parameter;
    const faults: Fault[] = [];
    if (typeof type !== 'string' || !isSolidityType(type))
      faults.push(
        fault(`${path}/type`, 'must be a Solidity type such as address, uint256, bytes32[] or tuple.'),
      );
    else if (type.startsWith('tuple'))
      faults.push(...parameterFaults(components, `${path}/components`, false, depth + 1));
    if (name !== undefined && typeof name !== 'string') faults.push(fault(`${path}/name`, 'must be a text.'));
    if (isEvent && indexed !== undefined && typeof indexed !== 'boolean')
      faults.push(fault(`${path}/indexed`, 'must be true or false.'));
    return faults;
  });
}

/** In the canonical form that selectors are made of: `uint256`, never `uint`. */
function isSolidityType(type: string): boolean {
  const [, base = '', bits, bytes] =
    /^(address|bool|string|function|tuple|u?int(\d{1,3})|u?fixed\d{1,3}x\d{1,2}|bytes(\d{1,2})?)(?:\[\d{0,9}\]){0,10}$/.exec(
      type,
    ) ?? [];
  if (bits !== undefined) return !bits.startsWith('0') && Number(bits) % 8 === 0 && Number(bits) <= 256;
  if (bytes !== undefined) return !bytes.startsWith('0') && Number(bytes) <= 32;
  return base !== '';
}

function fault(pointer: string, message: string): Fault {
  return { pointer, code: 'abi', message };
}
