import type { AbiParameter } from 'abitype';
import { cutText } from '../../lib/cutText.ts';

/**
 * The value that an ABI type takes, from what people write: text, or JSON with arrays and objects. Numbers above 2^53 must be
 * text, because JSON has rounded them already.
 */
export function toAbiValue(parameter: AbiParameter, value: unknown, label = nameOf(parameter)): unknown {
  const { type } = parameter;
  const list = /^(.*)\[(\d*)\]$/.exec(type);
  if (list) return toList(parameter, list, value, label);
  if (type === 'tuple') return toTuple(parameter, value, label);
  const whole = /^(u?)int(\d*)$/.exec(type);
  if (whole) return toWhole(type, whole[1] === 'u', Number(whole[2] || 256), value, label);
  const bytes = /^bytes(\d*)$/.exec(type);
  if (bytes) return toBytes(type, bytes[1] === '' ? undefined : Number(bytes[1]), value, label);
  switch (type) {
    case 'address':
      if (typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)) return value.toLowerCase();
      throw wrong(label, type, 'must be an address of 0x and 40 hexadecimal digits', value);
    case 'bool':
      if (value === true || value === 'true') return true;
      if (value === false || value === 'false') return false;
      throw wrong(label, type, 'must be true or false', value);
    case 'string':
      if (typeof value === 'string') return value;
      throw wrong(label, type, 'must be a text', value);
    default:
      throw new RangeError(`${label}: ${type} is not a type that values can be written for.`);
  }
}

/** All values of a function's parameters. */
export function toAbiValues(parameters: readonly AbiParameter[], values: readonly unknown[]): unknown[] {
  if (values.length !== parameters.length) {
    const wanted = parameters.map(({ type, name }) => (name ? `${type} ${name}` : type)).join(', ');
    throw new RangeError(
      `There must be ${parameters.length} value${parameters.length === 1 ? '' : 's'} (${wanted || 'none'}), not ${values.length}.`,
    );
  }
  return parameters.map((parameter, n) =>
    toAbiValue(parameter, values[n], parameter.name || `Parameter ${n + 1}`),
  );
}

function nameOf({ name }: AbiParameter): string {
  return name || 'The value';
}

function toList(
  parameter: AbiParameter,
  [, item = '', length = '']: readonly string[],
  value: unknown,
  label: string,
): unknown {
  const items = parsed(value);
  if (!Array.isArray(items)) throw wrong(label, parameter.type, 'must be a list such as [1, 2]', value);
  if (length !== '' && items.length !== Number(length))
    throw wrong(label, parameter.type, `must have ${length} elements, not ${items.length}`);
  const inner = { ...parameter, type: item };
  return items.map((element: unknown, n) => toAbiValue(inner, element, `${label}[${n}]`));
}

/** By position when it is a list, by name when it is an object. */
function toTuple(parameter: AbiParameter, value: unknown, label: string): unknown {
  const components = 'components' in parameter ? parameter.components : [];
  const members = parsed(value);
  if (Array.isArray(members)) {
    if (members.length !== components.length)
      throw wrong(label, parameter.type, `must have ${components.length} members, not ${members.length}`);
    const values = components.map((component, n) =>
      toAbiValue(component, members[n], `${label}.${component.name || n}`),
    );
    return components.every(({ name }) => name) ? named(components, values) : values;
  }
  if (typeof members !== 'object' || members === null || components.some(({ name }) => !name))
    throw wrong(label, parameter.type, `must be ${shapeOf(components)}`, value);
  const unknown = Object.keys(members).find(
    (name) => !components.some((component) => component.name === name),
  );
  if (unknown !== undefined)
    throw wrong(label, parameter.type, `has no member ${unknown}; it is ${shapeOf(components)}`);
  return named(
    components,
    components.map((component) => {
      const { name = '' } = component;
      if (!Object.hasOwn(members, name)) throw wrong(label, parameter.type, `lacks its member ${name}`);
      return toAbiValue(component, Reflect.get(members, name), `${label}.${name}`);
    }),
  );
}

function named(components: readonly AbiParameter[], values: readonly unknown[]): object {
  return Object.fromEntries(components.map(({ name = '' }, n) => [name, values[n]]));
}

function shapeOf(components: readonly AbiParameter[]): string {
  const isNamed = components.length > 0 && components.every(({ name }) => name);
  return isNamed
    ? `an object {${components.map(({ name, type }) => `${name}: ${type}`).join(', ')}}`
    : `a list [${components.map(({ type }) => type).join(', ')}]`;
}

function toWhole(type: string, isUnsigned: boolean, bits: number, value: unknown, label: string): bigint {
  const number = readWhole(value);
  if (number === undefined) {
    const isRounded = typeof value === 'number' && Number.isInteger(value);
    const how = isRounded
      ? 'must be written as text, because a JSON number of this size is rounded'
      : 'must be a whole number such as 1000, 1e18 or 0xff';
    throw wrong(label, type, how, value);
  }
  const [least, most] = isUnsigned
    ? [0n, 2n ** BigInt(bits) - 1n]
    : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n];
  if (number < least || number > most) throw wrong(label, type, `must be from ${least} to ${most}`, value);
  return number;
}

function readWhole(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) return BigInt(text);
  const parts = /^([+-]?)(\d[\d_]{0,99})(?:e(\d{1,2}))?$/i.exec(text);
  if (!parts) return undefined;
  const [, sign, digits = '', exponent = '0'] = parts;
  const size = BigInt(digits.replaceAll('_', '')) * 10n ** BigInt(exponent);
  return sign === '-' ? -size : size;
}

function toBytes(type: string, size: number | undefined, value: unknown, label: string): string {
  if (typeof value !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(value))
    throw wrong(label, type, 'must be bytes in hexadecimal such as 0x00ff', value);
  const length = value.length / 2 - 1;
  if (size !== undefined && length !== size)
    throw wrong(label, type, `must have ${size} bytes, not ${length}`);
  return value.toLowerCase();
}

/** A list or an object may also come as text, as command lines and forms give it. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function wrong(label: string, type: string, how: string, value?: unknown): RangeError {
  const given = value === undefined ? '' : `; it is ${shown(value)}`;
  return new RangeError(`${label} (${type}) ${how}${given}.`);
}

function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${cutText(text, 60)}…` : text;
}
