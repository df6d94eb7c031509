import { IDL } from '@icp-sdk/core/candid';
import { describe, expect, it } from 'vitest';
import { decodeCandid, encodeCandid } from '../../chains/icp/encodeCandid.ts';
import { icpActions } from '../../chains/icp/icpActions.ts';
import { icpFamily } from '../../chains/icp/icpFamily.ts';
import { loadIcp } from '../../chains/icp/loadIcp.ts';
import { readCandidValue } from './candidValue.ts';
import { candidView } from './candidView.ts';
import { parseCandid } from './parseCandid.ts';

const text = `
// A vault.
type Account = record { owner : principal; subaccount : opt blob };
type Mode = variant { Open; Capped : record { limit : nat; "for" : nat32 } };
type Loop = record { next : opt Loop };
service : (record { admin : principal }) -> {
  pause : (reason : text) -> ();
  set_mode : (Mode, vec record { text; int }) -> (variant { Ok; Err : text });
  pay : (Account, nat64) -> (nat);
  loop : (Loop) -> ();
  is_paused : () -> (bool) query;
  quota : (principal, opt nat8) -> (left : nat, Mode, vec record { text; int }, opt blob, float64) query;
}`;
const abi = [{ candid: text }];

describe('a Candid interface', () => {
  it('has the methods and types of the text', () => {
    const { methods, types } = parseCandid(text);
    expect([...methods.keys()]).toEqual(['pause', 'set_mode', 'pay', 'loop', 'is_paused', 'quota']);
    expect(methods.get('is_paused')!.isQuery).toBe(true);
    expect(methods.get('set_mode')!.args).toEqual([
      ['arg0', { name: 'Mode' }],
      [
        'arg1',
        {
          vec: {
            record: [
              ['0', 'text'],
              ['1', 'int'],
            ],
          },
        },
      ],
    ]);
    expect(types.get('Mode')).toEqual({
      variant: [
        ['Open', 'null'],
        [
          'Capped',
          {
            record: [
              ['limit', 'nat'],
              ['for', 'nat32'],
            ],
          },
        ],
      ],
    });
  });

  it('encodes values as people write them', async () => {
    const icp = await loadIcp();
    const item = icpActions.parseFunction('set_mode', abi);
    const values = [{ Capped: { limit: '5', for: 7 } }, '[["a", -1]]'].map((value, place) =>
      icpActions.readValue(item.inputs[place]!, value),
    );
    const { data } = icpActions.encode(item, values, 'aaaaa-aa');
    const call = JSON.parse(data);
    const bytes = encodeCandid(icp, call.types, call.values);
    const mode = IDL.Variant({ Open: IDL.Null, Capped: IDL.Record({ limit: IDL.Nat, for: IDL.Nat32 }) });
    expect(IDL.decode([mode, IDL.Vec(IDL.Tuple(IDL.Text, IDL.Int))], bytes)).toEqual([
      { Capped: { limit: 5n, for: 7 } },
      [['a', -1n]],
    ]);
    const pay = icpActions.parseFunction('pay', abi);
    expect(icpActions.readValue(pay.inputs[0]!, { owner: '2vxsx-fae', subaccount: '0x01' })).toEqual({
      owner: '2vxsx-fae',
      subaccount: ['01'],
    });
    expect(icpActions.readValue(pay.inputs[0]!, { owner: '2vxsx-fae' })).toEqual({
      owner: '2vxsx-fae',
      subaccount: null,
    });
  });

  it.each([
    ['nat8', 256, 'within nat8'],
    ['nat', -1, 'within nat'],
    ['int', '1.5', 'a whole number'],
    ['principal', '2vxsx-faa', 'a principal'],
    ['blob', 'xyz', 'hexadecimal'],
    ['text', 5, 'a text'],
    ['func', 'x', 'cannot be passed'],
    [{ variant: [['A', 'null']] }, 'B', 'one of A'],
    [{ record: [['a', 'nat']] }, { b: 1 }, 'no member b'],
  ] as const)('refuses a value that is no %j: %j', (type, value, reason) => {
    expect(() => readCandidValue(type, value, 'limit')).toThrow(reason);
  });

  it.each([
    ['nothing', '', 'no service'],
    ['an import', 'import "a.did"; service : {}', 'import'],
    ['no Candid', 'service : { a : (nat -> () }', 'is not Candid'],
    ['types without an end', 'type A = vec '.padEnd(2000, 'vec '), 'too deep'],
  ])('refuses %s', (_what, wrong, reason) => {
    expect(icpFamily.abiFaults!([{ candid: wrong }], '/abi')).toEqual([
      { pointer: '/abi/0/candid', code: 'candid', message: expect.stringContaining(reason) },
    ]);
  });

  it('reads queries, with results in the words of conditions', async () => {
    const icp = await loadIcp();
    const { inputs, outputs, encode, decode } = candidView('quota', abi);
    const query = JSON.parse(encode(['2vxsx-fae', null]));
    expect(query).toMatchObject({ method: 'quota', values: ['2vxsx-fae', null] });
    expect(() => encode(['x', null])).toThrow('arg0 must be a principal');
    expect(inputs.map(({ type }) => type)).toEqual(['string', 'uint8']);
    expect(outputs.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'left uint256',
      ' tuple',
      ' tuple[]',
      ' bytes',
      ' string',
    ]);
    const results = [
      '12345678901234567890123',
      { Capped: { limit: '5', for: 7 } },
      [['a', '-1']],
      ['ff'],
      1.5,
    ];
    const answer = (...values: unknown[]) =>
      decode(JSON.stringify(decodeCandid(icp, query.results, encodeCandid(icp, query.results, values))));
    expect(answer(...results)).toEqual([
      12_345_678_901_234_567_890_123n,
      { Capped: { limit: 5n, for: 7n } },
      [['a', -1n]],
      '0xff',
      '1.5',
    ]);
    expect(answer('1', { Open: null }, [], null, 2)).toEqual([1n, 'Open', [], null, '2']);
    expect(() => candidView('pause', abi)).toThrow('an update and not a query');
    expect(() => candidView('gone', abi)).toThrow('its queries are is_paused, quota');
    expect(() => candidView('quota', [])).toThrow('needs the Candid interface');
  });

  it('names what there is where a function is not', () => {
    expect(() => icpActions.parseFunction('drain', abi)).toThrow(
      'it has pause, set_mode, pay, loop, is_paused, quota',
    );
    expect(() => icpActions.parseFunction('is_paused', abi)).toThrow('query');
    expect(() => icpActions.parseFunction('loop', abi)).toThrow('names itself');
    expect(() => icpActions.parseFunction('pause', [])).toThrow('needs the Candid interface');
    expect(icpFamily.abiFaults!([{ type: 'event' }], '/abi')).toMatchObject([
      { pointer: '/abi', code: 'candid' },
    ]);
    expect(icpActions.parseFunction('stop_canister', []).inputs).toEqual([]);
  });
});
