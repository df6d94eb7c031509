import type { Block, Header } from '../../model/block.ts';
import type { ChainClient } from '../chainClient.ts';
import type { Endpoints } from './createEndpoints.ts';
import type { RpcCall, RpcReply } from './createRpc.ts';
import { InvalidResponse, NotAvailableYet, orNull, resultOf } from './replies.ts';

/** The calls for blocks by number, and their answers. */
type BlockForm = {
  /** The first of them is for the block itself. */
  calls(number: number): RpcCall[];
  headerCall(which: number | 'latest' | 'finalized'): RpcCall;
  /** True if it stands for a block that the node does not have. */
  isMissing(raw: unknown): boolean;
  decode(raw: unknown, rest: readonly RpcReply[]): Block | Promise<Block>;
  decodeHeader(raw: unknown): Header;
};

/** Reads blocks and headers of chains whose nodes know each by its number, and checks endpoints by them. */
export function createBlockReader(
  { request, head, checkAll }: Endpoints,
  { calls, headerCall, isMissing, decode, decodeHeader }: BlockForm,
): Pick<ChainClient, 'block' | 'header' | 'checkEndpoints'> {
  function present(reply: RpcReply | undefined, number?: number): unknown {
    const raw = resultOf(reply);
    if (isMissing(raw)) throw new NotAvailableYet(number);
    return raw;
  }

  // The block before all else, since some nodes answer an error to other questions about one that they do not have.
  const toBlock = async (number: number, [reply, ...rest]: readonly RpcReply[]) =>
    numbered(await decode(present(reply, number), rest), number);

  return {
    async block(number, parentHash) {
      let fallback: Block | undefined;
      const fitting = await orNull(
        request(calls(number), async (replies, has) => {
          const block = await toBlock(number, replies);
          has(number);
          // When endpoints disagree, a block that continues ours is believed first.
          if (parentHash === undefined || block.parentHash === parentHash) return block;
          fallback ??= block;
          throw new NotAvailableYet();
        }),
      );
      return fitting ?? fallback ?? null;
    },
    header: (which) =>
      orNull(
        request([headerCall(which)], ([reply], has) => {
          // Not every node knows what is final, which is no fault of it.
          if (which === 'finalized' && reply && 'error' in reply) throw new NotAvailableYet();
          const number = typeof which === 'number' ? which : undefined;
          const header = numbered(decodeHeader(present(reply, number)), number);
          has(header.number);
          return header;
        }),
      ),
    checkEndpoints(which) {
      const number = Math.max(0, head());
      return checkAll(which, { calls: calls(number), accept: (replies) => toBlock(number, replies) });
    },
  };
}

function numbered<T extends Header>(block: T, number: number | undefined): T {
  if (number !== undefined && block.number !== number)
    throw new InvalidResponse(`it sent block ${block.number} for ${number}`);
  return block;
}
