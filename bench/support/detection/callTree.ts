import { functionSelector } from '../../../src/codecs/evm/abi.ts';
import type { Frame } from '../../../src/model/block.ts';
import { type InnerSpec, word } from './createWorld.ts';

/** A call and the calls within it, each under who makes it. */
export type CallNode = { readonly call: Omit<InnerSpec, 'depth'>; readonly inner: readonly CallNode[] };

type Options = {
  value?: bigint;
  type?: Frame['type'];
  args?: readonly (bigint | string)[];
  isReverted?: boolean;
};

/** A call of a function by its signature; of nothing (''), a plain payment. */
export function call(
  from: string,
  to: string,
  signature: string,
  { args = [], ...options }: Options = {},
  ...inner: readonly CallNode[]
): CallNode {
  return { call: { from, to, input: encode(signature, args), ...options }, inner };
}

/** The same by code that it borrows: what that calls, it calls itself. */
export function borrow(
  from: string,
  code: string,
  signature: string,
  ...inner: readonly CallNode[]
): CallNode {
  return call(from, code, signature, { type: 'DELEGATECALL' }, ...inner);
}

export function read(from: string, to: string, signature: string): CallNode {
  return call(from, to, signature, { type: 'STATICCALL' });
}

export function encode(signature: string, args: readonly (bigint | string)[] = []): string {
  return signature === '' ? '0x' : `${functionSelector(signature)}${args.map(word).join('')}`;
}

/** In the order in which they begin. */
export function flatten(nodes: readonly CallNode[], depth = 1): InnerSpec[] {
  return nodes.flatMap(({ call: own, inner }) => [{ ...own, depth }, ...flatten(inner, depth + 1)]);
}
