import { base58 as base58Code } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../testing/createRandom.ts';
import { readExecuted } from '../../chains/solana/readExecuted.ts';
import { anchorEvent, anchorEventByKey, anchorFunction } from './anchorItems.ts';
import { decodeBorsh, encodeBorsh, type IdlType } from './borsh.ts';

const key = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** The form of Anchor before 0.30, and the one since. */
const older = {
  version: '0.1.0',
  name: 'vault',
  instructions: [
    { name: 'initialize', accounts: [], args: [] },
    {
      name: 'setLimits',
      accounts: [
        { name: 'vault', isMut: true, isSigner: false },
        { name: 'roles', accounts: [{ name: 'admin', isMut: false, isSigner: true }] },
      ],
      args: [
        { name: 'limit', type: 'u64' },
        { name: 'mode', type: { defined: 'Mode' } },
      ],
    },
  ],
  events: [
    {
      name: 'Drained',
      fields: [
        { name: 'to', type: 'publicKey', index: false },
        { name: 'amount', type: 'u64', index: false },
        { name: 'memo', type: { option: 'string' }, index: false },
      ],
    },
  ],
  types: [
    {
      name: 'Mode',
      type: {
        kind: 'enum',
        variants: [{ name: 'Open' }, { name: 'Capped', fields: [{ name: 'at', type: 'u8' }] }],
      },
    },
  ],
};
const newer = {
  address: key,
  metadata: { name: 'vault', version: '0.1.0', spec: '0.1.0' },
  instructions: [
    {
      name: 'drain',
      discriminator: [1, 2, 3, 4, 5, 6, 7, 8],
      accounts: [{ name: 'vault', writable: true }],
      args: [{ name: 'amounts', type: { vec: 'u128' } }],
    },
  ],
  events: [{ name: 'Drained', discriminator: [9, 9, 9, 9, 9, 9, 9, 9] }],
  types: [
    {
      name: 'Drained',
      type: {
        kind: 'struct',
        fields: [
          { name: 'to', type: 'pubkey' },
          { name: 'amount', type: 'i64' },
        ],
      },
    },
  ],
};

describe('an Anchor IDL', () => {
  it('has the discriminators that programs use, derived or written down', () => {
    // Published: the first instruction of nearly every program.
    expect(anchorFunction('initialize', [older])!.key).toBe('afaf6d1f0d989bed');
    expect(anchorFunction('drain', [newer])!.key).toBe('0102030405060708');
    expect(anchorEvent('Drained', [newer])!.key).toBe('0909090909090909');
    expect(() => anchorFunction('drain', [older])).toThrow('it has initialize, setLimits');
    expect(anchorFunction('drain', [])).toBeUndefined();
  });

  it('reads arguments with the accounts by their names, also those of groups', () => {
    const shape = anchorFunction('setLimits', [older])!;
    const input = `${shape.key}e8030000000000000107`;
    expect(shape.decode(input, ['A', 'B'])).toEqual({
      limit: 1000n,
      mode: { Capped: { at: 7 } },
      accounts: { vault: 'A', admin: 'B' },
    });
    expect(shape.decode(`${shape.key}e8`)).toBeUndefined();
    expect(shape.decode('00')).toBeUndefined();
    expect(shape.item.inputs.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'limit uint64',
      'mode string',
      'accounts tuple',
    ]);
  });

  it('reads events from the log of the program that runs, and from its calls of itself', () => {
    const event = anchorEvent('Drained', [older])!;
    const fields: IdlType = {
      struct: [
        { name: 'to', type: 'pubkey' },
        { name: 'amount', type: 'u64' },
        { name: 'memo', type: { option: 'string' } },
      ],
    };
    const bytes = encodeBorsh(fields, { to: key, amount: '500', memo: 'héllo' }, new Map());
    const data = Buffer.concat([Buffer.from(event.key, 'hex'), bytes]);
    const self = 'e445a52e51cb9a1d';
    const raw = {
      meta: {
        logMessages: [
          'Program Vault invoke [1]',
          'Program Token invoke [2]',
          'Program log: Program data: not data',
          'Program Token success',
          `Program data: ${data.toString('base64')}`,
          'Program Vault consumed 5 of 10 compute units',
          'Program Vault success',
          `Program data: ${data.toString('base64')}`,
        ],
        innerInstructions: [],
        loadedAddresses: { writable: ['Vault'], readonly: [] },
      },
      transaction: { message: { accountKeys: ['Payer'], instructions: [] } },
    };
    const inner = {
      programIdIndex: 1,
      accounts: [0],
      data: base58(Buffer.concat([Buffer.from(self, 'hex'), data])),
    };
    const executed = readExecuted(
      {
        ...raw,
        meta: { ...raw.meta, innerInstructions: [{ index: 0, instructions: [inner] }] },
        transaction: {
          message: { accountKeys: ['Payer'], instructions: [{ programIdIndex: 1, accounts: [], data: '' }] },
        },
      },
      { hash: 'S', index: 3 },
    );
    expect(executed.calls).toMatchObject([
      { contract: 'Vault', position: 0 },
      { contract: 'Vault', position: 1, accounts: ['Payer'] },
    ]);
    expect(executed.logs).toMatchObject([
      { address: 'Vault', key: event.key, index: 0, transactionHash: 'S', transactionIndex: 3 },
      { address: 'Vault', key: event.key, index: 1 },
    ]);
    for (const log of executed.logs)
      expect(anchorEventByKey(log.key, [older])!.decode(log)).toEqual({
        to: key,
        amount: 500n,
        memo: 'héllo',
      });
  });

  it('encodes what it decodes, for random values of every type', () => {
    const { random, below: int } = createRandom('borsh');
    const type: IdlType = {
      struct: [
        { name: 'a', type: { vec: 'i32' } },
        { name: 'b', type: { array: 'u256', length: 2 } },
        { name: 'c', type: { option: { defined: 'Side' } } },
        { name: 'd', type: 'bytes' },
        { name: 'e', type: 'bool' },
        { name: 'f', type: 'i128' },
        { name: 'g', type: 'f64' },
      ],
    };
    const types = new Map<string, IdlType>([
      [
        'Side',
        {
          enum: [
            { name: 'Buy', type: { struct: [] } },
            { name: 'Sell', type: { struct: [{ name: '0', type: 'u8' }] } },
          ],
        },
      ],
    ]);
    for (let round = 0; round < 200; round++) {
      const value = {
        a: Array.from({ length: int(5) }, () => int(2 ** 32) - 2 ** 31),
        b: [BigInt(int(2 ** 40)) ** 6n, 0n],
        c: [null, 'Buy', { Sell: { 0: int(256) } }][int(3)],
        d: `0x${Buffer.from(Array.from({ length: int(9) }, () => int(256))).toString('hex')}`,
        e: int(2) === 1,
        f: -BigInt(int(2 ** 50)),
        g: random(),
      };
      expect(decodeBorsh(type, encodeBorsh(type, value, types), types)).toEqual(value);
    }
  });

  it.each([
    ['a list longer than the data', { vec: 'u8' }, 'ffffffff00'],
    ['a variant that is not there', { enum: [] }, '07'],
    ['a type that names itself', { defined: 'Loop' }, '00'],
    ['data that ends too soon', 'u64', '0000'],
  ] as [string, IdlType, string][])('refuses %s', (_what, type, digits) => {
    const types = new Map<string, IdlType>([['Loop', { defined: 'Loop' }]]);
    expect(() => decodeBorsh(type, Buffer.from(digits, 'hex'), types)).toThrow(RangeError);
  });
});

const base58 = (bytes: Uint8Array) => base58Code.encode(bytes);
