import { describe, expect, it } from 'vitest';
import { abiFaults } from './abiFaults.ts';

const pointers = (abi: readonly unknown[]) => abiFaults(abi, '/abi').map(({ pointer }) => pointer);
const taking = (...inputs: unknown[]) => [{ type: 'function', name: 'f', inputs, outputs: [] }];

describe('the check of an ABI', () => {
  it('accepts what compilers write', () => {
    expect(
      pointers([
        { type: 'constructor', inputs: [{ name: 'owner', type: 'address', internalType: 'address' }] },
        { type: 'receive', stateMutability: 'payable' },
        { type: 'fallback', stateMutability: 'nonpayable' },
        { type: 'error', name: 'Denied', inputs: [] },
        {
          type: 'event',
          name: 'Transfer',
          anonymous: false,
          inputs: [{ name: '', type: 'address', indexed: true }],
        },
        {
          type: 'function',
          name: 'fill',
          constant: false,
          payable: false,
          inputs: [
            { name: 'orders', type: 'tuple[2][]', components: [{ name: 'id', type: 'uint96' }] },
            { type: 'bytes32[]' },
            { name: 'data', type: 'bytes' },
            { name: 'callback', type: 'function' },
          ],
          outputs: [{ name: '', type: 'int8' }],
        },
      ]),
    ).toEqual([]);
  });

  it('names the item and member that is wrong', () => {
    expect(pointers([{ type: 'function', name: 'f', inputs: [] }, 'x'])).toEqual(['/abi/1']);
    expect(pointers([{ name: 'f', inputs: [] }])).toEqual(['/abi/0/type']);
    expect(pointers([{ type: 'function', inputs: [] }])).toEqual(['/abi/0/name']);
    expect(pointers([{ type: 'event', name: 'E' }])).toEqual(['/abi/0/inputs']);
    expect(pointers([{ type: 'function', name: 'f', inputs: [], stateMutability: 'odd' }])).toEqual([
      '/abi/0/stateMutability',
    ]);
    for (const type of ['uint', 'uint7', 'uint264', 'int08', 'bytes33', 'bytes0', 'adress', 'address[', 7])
      expect(pointers(taking({ type: 'bool' }, { type })), String(type)).toEqual(['/abi/0/inputs/1/type']);
    expect(pointers(taking({ type: 'tuple' }))).toEqual(['/abi/0/inputs/0/components']);
    expect(pointers(taking({ type: 'tuple', components: [{ type: 'x' }] }))).toEqual([
      '/abi/0/inputs/0/components/0/type',
    ]);
  });

  it('lists at most 100 faults and follows no endless nesting', () => {
    expect(pointers(Array.from({ length: 10_000 }, () => ({ type: 'x' })))).toHaveLength(100);
    let nested: object = { type: 'bool' };
    for (let n = 0; n < 50; n++) nested = { type: 'tuple', components: [nested] };
    expect(pointers(taking(nested))).toHaveLength(1);
  });
});
