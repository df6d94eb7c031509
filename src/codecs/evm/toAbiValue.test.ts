import { describe, expect, it } from 'vitest';
import { decodeCall, encodeCall, parseFunction } from './abi.ts';
import { toAbiValue, toAbiValues } from './toAbiValue.ts';

const of = (type: string, value: unknown) => toAbiValue({ type, name: 'x' }, value);
const address = '0xdAC17F958D2ee523a2206206994597C13D831ec7';

describe('toAbiValue', () => {
  it.each([
    ['uint256', '1000', 1000n],
    ['uint256', 5, 5n],
    ['uint256', '1_000e18', 10n ** 21n],
    ['uint8', '255', 255n],
    ['uint8', '0xff', 255n],
    ['int8', '-128', -128n],
    ['int256', ' -1 ', -1n],
    ['uint', String(2n ** 256n - 1n), 2n ** 256n - 1n],
    ['address', address, address.toLowerCase()],
    ['bool', 'true', true],
    ['bool', false, false],
    ['string', '', ''],
    ['bytes', '0x', '0x'],
    ['bytes4', '0xA9059cbb', '0xa9059cbb'],
    ['uint8[]', [1, '2'], [1n, 2n]],
    ['uint8[]', '[1, "2"]', [1n, 2n]],
    [
      'uint8[2][]',
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1n, 2n],
        [3n, 4n],
      ],
    ],
    ['bool[]', [], []],
  ])('takes %s from %j', (type, value, expected) => {
    expect(of(type, value)).toEqual(expected);
  });

  it.each([
    ['uint8', '256', 'x (uint8) must be from 0 to 255; it is "256".'],
    ['uint8', '-1', 'must be from 0 to 255'],
    ['int8', '128', 'must be from -128 to 127'],
    ['uint256', '1.5', 'must be a whole number such as 1000, 1e18 or 0xff'],
    ['uint256', '', 'must be a whole number'],
    ['uint256', true, 'must be a whole number'],
    ['uint256', 1e18, 'must be written as text, because a JSON number of this size is rounded'],
    ['address', '0x12', 'must be an address of 0x and 40 hexadecimal digits; it is "0x12"'],
    ['bool', 1, 'must be true or false'],
    ['string', 1, 'must be a text'],
    ['bytes', '0x123', 'must be bytes in hexadecimal'],
    ['bytes4', '0x1234', 'must have 4 bytes, not 2'],
    ['uint8[2]', [1], 'must have 2 elements, not 1'],
    ['uint8[]', '1,2', 'must be a list such as [1, 2]'],
    ['uint8[]', [1, 300], 'x[1] (uint8) must be from 0 to 255'],
    ['fixed128x18', '1', 'fixed128x18 is not a type'],
  ])('refuses %s from %j', (type, value, message) => {
    expect(() => of(type, value)).toThrow(message);
  });
});

describe('toAbiValues', () => {
  const item = parseFunction('set((uint256 id, address who, bytes4[] tags) settings, (uint8,bool)[] pairs)');

  it('takes structs by name and by position, and what it makes can be encoded', () => {
    const byName = toAbiValues(item.inputs, [
      { id: '7', who: address, tags: ['0x01020304'] },
      [
        [1, true],
        ['2', 'false'],
      ],
    ]);
    const byPlace = toAbiValues(item.inputs, [`["7", "${address}", ["0x01020304"]]`, '[[1,true],[2,false]]']);
    expect(byPlace).toEqual(byName);
    expect(decodeCall(item, encodeCall(item, byName))).toEqual({
      settings: { id: 7n, who: address.toLowerCase(), tags: ['0x01020304'] },
      pairs: [
        [1, true],
        [2, false],
      ],
    });
  });

  it('says which member is wrong, missing or too much', () => {
    const settings = { id: 1, who: address, tags: [] };
    const refuses = (value: unknown, message: string) =>
      expect(() => toAbiValues(item.inputs, [value, []])).toThrow(message);
    refuses({ ...settings, who: 'me' }, 'settings.who (address) must be an address');
    refuses({ id: 1, tags: [] }, 'settings (tuple) lacks its member who.');
    refuses(
      { ...settings, more: 1 },
      'has no member more; it is an object {id: uint256, who: address, tags: bytes4[]}',
    );
    refuses([1, address], 'must have 3 members, not 2');
    refuses('nothing', 'must be an object {id: uint256');
    expect(() => toAbiValues(item.inputs, [settings, [[1, 'maybe']]])).toThrow('pairs[0].1 (bool)');
  });

  it('wants as many values as there are parameters', () => {
    expect(() => toAbiValues(parseFunction('transfer(address to, uint256)').inputs, [])).toThrow(
      'There must be 2 values (address to, uint256), not 0.',
    );
    expect(toAbiValues([], [])).toEqual([]);
  });
});
