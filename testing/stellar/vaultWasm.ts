import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { xdrBytes } from '../../src/chains/stellar/xdr.ts';

/** Functions of the host that the code calls: module, name and number of parameters, all of them 64 bits. */
const host = {
  put: ['l', '_', 3],
  has: ['l', '0', 2],
  get: ['l', '1', 2],
  upgrade: ['l', '6', 1],
  event: ['x', '1', 2],
  fail: ['x', '5', 1],
  requireAuth: ['a', '0', 1],
  newVec: ['v', '_', 0],
  push: ['v', '6', 2],
  newMap: ['m', '_', 0],
  set: ['m', '0', 3],
} as const;
type HostFunction = keyof typeof host;
const hostNames = Object.keys(host) as HostFunction[];

// Values of contracts as 64 bits, whose lowest byte says of which type they are.
const [yes, nothing, alreadyPaused, zero] = [1n, 2n, (7n << 32n) | 3n, 11n];
const instanceStorage = 2n;

/**
 * The code of a small contract, as any network runs it, with the spec that it carries: an owner (the first who is set needs no
 * one's leave) may pause it, give it away, replace its code and set a quota, which all may read.
 */
export function vaultWasm(spec: readonly unknown[]): { code: string; hash: string } {
  const functions = vaultFunctions();
  const own = [...functions.values()];
  const wasm = concatBytes(
    hexToBytes('0061736d01000000'),
    // Types by their number of parameters, with one result each.
    section(
      1,
      vector([0, 1, 2, 3].map((count) => [0x60, ...sized(Array<number>(count).fill(0x7e)), 1, 0x7e])),
    ),
    section(
      2,
      vector(Object.values(host).map(([module, name, count]) => [...text(module), ...text(name), 0, count])),
    ),
    section(3, vector(own.map(({ parameters }) => [parameters]))),
    section(
      7,
      vector([...functions.keys()].map((name, place) => [...text(name), 0, hostNames.length + place])),
    ),
    section(10, vector(own.map(({ body }) => sized([0, ...body, 0x0b])))),
    section(0, [...text('contractenvmetav0'), ...hexToBytes('000000000000001600000000')]),
    section(0, [
      ...text('contractspecv0'),
      ...concatBytes(...spec.map((entry) => xdrBytes('ScSpecEntry', entry))),
    ]),
  );
  return { code: bytesToHex(wasm), hash: bytesToHex(sha256(wasm)) };
}

function vaultFunctions(): ReadonlyMap<string, { parameters: number; body: number[] }> {
  const given = [0x20, 0];
  const call = (name: HostFunction, ...args: number[][]) => [...args.flat(), 0x10, hostNames.indexOf(name)];
  const done = (...steps: number[][]) => [...steps.flatMap((step) => [...step, 0x1a]), ...constant(nothing)];
  const stored = (name: string) => [...constant(symbol(name)), ...constant(instanceStorage)];
  const has = (name: string) => call('has', stored(name));
  const get = (name: string) => call('get', stored(name));
  const put = (name: string, value: number[]) =>
    call('put', constant(symbol(name)), value, constant(instanceStorage));
  const choose = (condition: number[], one: number[], other: number[]) =>
    [condition, constant(yes), [0x51, 0x04, 0x7e], one, [0x05], other, [0x0b]].flat();
  const onlyOwner = call('requireAuth', get('Owner'));
  const entry = (map: number[], name: string, value: number[]) =>
    call('set', map, constant(symbol(name)), value);
  const topics = call('push', call('push', call('newVec'), constant(symbol('paused'))), get('Owner'));
  const kind = choose(has('Paused'), constant(symbol('Closed')), constant(symbol('Open')));
  return new Map([
    [
      'pause',
      {
        parameters: 1,
        body: done(
          onlyOwner,
          choose(has('Paused'), call('fail', constant(alreadyPaused)), constant(nothing)),
          put('Paused', constant(yes)),
          call('event', topics, given),
        ),
      },
    ],
    [
      'set_owner',
      {
        parameters: 1,
        body: done(choose(has('Owner'), onlyOwner, constant(nothing)), put('Owner', given)),
      },
    ],
    ['upgrade', { parameters: 1, body: done(onlyOwner, call('upgrade', given)) }],
    ['set_quota', { parameters: 1, body: done(onlyOwner, put('Quota', given)) }],
    ['quota', { parameters: 1, body: choose(has('Quota'), get('Quota'), constant(zero)) }],
    ['is_paused', { parameters: 0, body: has('Paused') }],
    [
      'mode',
      {
        parameters: 0,
        body: entry(
          entry(call('newMap'), 'kind', call('push', call('newVec'), kind)),
          'until',
          constant(nothing),
        ),
      },
    ],
  ]);
}

const letters = '\0_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** A symbol of nine letters at most, as a value. */
const symbol = (name: string) =>
  ([...name].reduce((bits, letter) => (bits << 6n) | BigInt(letters.indexOf(letter)), 0n) << 8n) | 14n;

const constant = (value: bigint) => [0x42, ...signedLeb(value)];
const text = (value: string) => sized([...utf8ToBytes(value)]);
const sized = (bytes: readonly number[]) => [...leb(bytes.length), ...bytes];
const vector = (items: readonly (readonly number[])[]) => [...leb(items.length), ...items.flat()];
const section = (id: number, body: readonly number[]) => Uint8Array.from([id, ...sized(body)]);

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)];
}

function signedLeb(value: bigint): number[] {
  const [low, rest] = [Number(value & 127n), value >> 7n];
  const isLast = (rest === 0n && low < 64) || (rest === -1n && low >= 64);
  return isLast ? [low] : [low | 128, ...signedLeb(rest)];
}
