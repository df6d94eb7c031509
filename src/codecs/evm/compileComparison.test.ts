import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCall, encodeCall, eventTopic, parseFunction } from './abi.ts';
import { abiMember } from './abiMember.ts';
import { type ComparisonOperator, compileComparison } from './compileComparison.ts';

const holds = (type: string, actual: unknown, operator: ComparisonOperator, wanted: unknown) =>
  compileComparison({ type }, operator, wanted)(actual);

describe('comparing numbers', () => {
  it.each<[unknown, ComparisonOperator, unknown, boolean]>([
    [10n, '==', '10', true],
    [10n, '==', 10, true],
    [10n, '==', '0x0A', true],
    [10n, '!=', '10', false],
    [10n ** 18n, '==', '1e18', true],
    [10n ** 18n + 1n, '>', '1000000000000000000', true],
    [10n ** 18n, '>', '1000000000000000000', false],
    [10n ** 18n, '>=', '1_000_000_000_000_000_000', true],
    [
      2n ** 256n - 1n,
      '<',
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      false,
    ],
    [
      2n ** 256n - 1n,
      '<=',
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      true,
    ],
    [2, '<', 3, true],
    [7n, 'in', [1, '7'], true],
    [7n, 'in', [1, '70'], false],
  ])('%s %s %s is %s', (actual, operator, wanted, expected) => {
    expect(holds('uint256', actual, operator, wanted)).toBe(expected);
  });

  it('agrees with big integers on random numbers of any size', () => {
    const number = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n });
    fc.assert(
      fc.property(number, number, (left, right) => {
        expect(holds('int256', left, '<', String(right))).toBe(left < right);
        expect(holds('int256', left, '>=', String(right))).toBe(left >= right);
        expect(holds('int256', left, '==', String(left))).toBe(true);
      }),
    );
  });
});

describe('comparing what is no number', () => {
  const upper = '0xABCDEF0123456789ABCDEF0123456789ABCDEF01';
  it.each<[string, unknown, ComparisonOperator, unknown, boolean]>([
    ['address', upper.toLowerCase(), '==', upper, true],
    ['address', upper.toLowerCase(), 'in', [upper], true],
    ['address', upper.toLowerCase(), '!=', `0x${'0'.repeat(40)}`, true],
    ['address', upper.toLowerCase(), 'starts_with', '0xABC', true],
    ['address', upper.toLowerCase(), 'ends_with', 'EF01', true],
    ['bytes4', '0x12345678', '==', '0x12345678', true],
    ['bytes', '0x12345678', 'contains', '0x3456', true],
    ['bytes', '0x12345678', 'contains', '0x2345', false],
    ['bytes', '0x12345678', 'ends_with', '0x5678', true],
    ['bool', true, '==', true, true],
    ['bool', false, '==', 'true', false],
    ['string', 'hello', 'contains', 'ell', true],
    ['string', 'hello', 'starts_with', 'Hel', false],
    ['string', 'hello', 'in', ['hello', 'bye'], true],
    ['string', eventTopic('hello'), '==', 'hello', true],
    ['uint256[]', [1n, 2n], 'contains', '2', true],
    ['uint256[]', [1n, 2n], 'contains', '3', false],
    ['uint256[2]', [1n, 2n], '==', [1, 2], true],
    ['uint256[]', [1n, 2n], '==', [1], false],
    ['address[]', [upper.toLowerCase()], 'contains', upper, true],
  ])('%s: %s %s %s is %s', (type, actual, operator, wanted, expected) => {
    expect(holds(type, actual, operator, wanted)).toBe(expected);
  });

  it.each<[string, ComparisonOperator, unknown, RegExp]>([
    ['address', '>', upper, /> does not fit values of type address/],
    ['bool', 'contains', true, /does not fit/],
    ['uint256', 'starts_with', '1', /==, !=, >, <, >=, <=, in do/],
    ['uint256', '==', 'many', /must be a whole number/],
    ['uint256', '==', 2 ** 60, /written as text/],
    ['uint256', 'in', '1', /array/],
    ['uint256', 'in', [], /array/],
    ['address', '==', '0x12', /40 hexadecimal digits/],
    ['bytes4', '==', '0x1234', /4 bytes/],
    ['uint8', '>', 256, /from 0 to 255/],
    ['bytes', 'contains', 'xyz', /hex/],
    ['bool', '==', 'yes', /true or false/],
    ['string', '==', 5, /text/],
    ['tuple', '>', 5, /does not fit/],
    ['uint256[]', 'contains', 'x', /number/],
  ])('refuses %s %s %s', (type, operator, wanted, words) => {
    expect(() => compileComparison({ type }, operator, wanted)).toThrow(words);
  });

  it('says that an indexed list cannot be compared', () => {
    expect(() => holds('uint256[]', eventTopic('x'), 'contains', '1')).toThrow(/indexed/);
  });
});

describe('comparing texts without case', () => {
  const folded = (type: string, actual: unknown, operator: ComparisonOperator, wanted: unknown) =>
    compileComparison({ type }, operator, wanted, true)(actual);

  it.each<[string, unknown, ComparisonOperator, unknown, boolean]>([
    ['string', 'HeLLo', '==', 'hEllO', true],
    ['string', 'HeLLo', '!=', 'hEllO', false],
    ['string', 'hello', '==', 'help', false],
    ['string', 'HELLO', 'in', ['bye', 'hello'], true],
    ['string', 'say HELLO now', 'contains', 'Hello', true],
    ['string', 'HELLO', 'starts_with', 'hel', true],
    ['string', 'HELLO', 'ends_with', 'LLo', true],
    ['string', 'ΟΔΟΣ ΑΒ', 'contains', 'οδος', true],
    ['string', 'STRASSE', '==', 'straße', true],
    ['string', eventTopic('hello'), '==', 'hello', false],
    ['string[]', ['A', 'B'], 'contains', 'b', true],
    ['string[]', ['A', 'B'], '==', ['a', 'b'], true],
    ['bytes4', '0xabcdef01', '==', '0xABCDEF01', true],
    ['uint256[]', [1n, 2n], 'contains', '2', true],
  ])('%s: %s %s %s is %s', (type, actual, operator, wanted, expected) => {
    expect(folded(type, actual, operator, wanted)).toBe(expected);
  });

  it.each(['uint256', 'bool'])('refuses values of type %s, which have no case', (type) => {
    expect(() => folded(type, 1, '==', 1)).toThrow(/ignoreCase is for texts/);
  });
});

describe('abiMember', () => {
  const item = parseFunction(
    'f((uint256 amount, (address who, bytes4[] tags) inner) order, uint8, (uint256, bool) pair, (uint256 id, bool on)[] list)',
  );
  const who = `0x${'1'.repeat(40)}`;
  const args = decodeCall(
    item,
    encodeCall(item, [
      { amount: 5n, inner: { who, tags: ['0x12345678', '0x00000000'] } },
      3,
      [9n, true],
      [{ id: 4n, on: false }],
    ]),
  );

  it.each<[string, string, unknown]>([
    ['order.amount', 'uint256', 5n],
    ['order.inner.who', 'address', who],
    ['order.inner.tags', 'bytes4[]', ['0x12345678', '0x00000000']],
    ['order.inner.tags.1', 'bytes4', '0x00000000'],
    ['order.inner.tags.7', 'bytes4', undefined],
    ['1', 'uint8', 3],
    ['pair.1', 'bool', true],
    ['list.0.id', 'uint256', 4n],
  ])('finds %s', (path, type, value) => {
    const member = abiMember(item.inputs, path);
    expect(member.parameter.type).toBe(type);
    expect(member.read(args)).toEqual(value);
  });

  it.each([
    ['total', /"total" is not there; there are order, 1, pair, list/],
    ['order.total', /there are amount, inner/],
    ['order.amount.x', /nothing to name/],
    ['list.id', /position/],
  ])('refuses %s', (path, words) => {
    expect(() => abiMember(item.inputs, path)).toThrow(words);
  });
});
