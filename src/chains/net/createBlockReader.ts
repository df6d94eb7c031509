import type { Block, Header } from '../../model/block.ts';
import type { ChainClient } from '../chainClient.ts';
import type { Endpoints } from './createEndpoints.ts';
import type { RpcCall, RpcReply } from './createRpc.ts';
import { InvalidResponse, NodeRefusal, NotAvailableYet, orNull, resultOf } from './replies.ts';

/** The calls for blocks by number, and their answers. */
type BlockForm = {
  /** The first of them is for the block itself. */
  calls(number: number): RpcCall[];
  headerCall(which: number | 'latest' | 'finalized'): RpcCall;
  /** True if it stands for a block that the node does not have. */
  isMissing(raw: unknown): boolean;
  decode(raw: unknown, rest: readonly RpcReply[]): Block | Promise<Block>;
  /** True if nothing but the block itself needs to be asked for. */
  isWhole?(raw: unknown): boolean;
  decodeHeader(raw: unknown): Header;
};

/** Reads blocks and headers of chains whose nodes know each by its number, and checks endpoints by them. */
export function createBlockReader(
  { request, head, checkAll }: Endpoints,
  { calls, headerCall, isMissing, decode, isWhole = () => false, decodeHeader }: BlockForm,
): Pick<ChainClient, 'block' | 'header' | 'checkEndpoints'> {
  function present(reply: RpcReply | undefined, number?: number): unknown {
    const raw = resultOf(reply);
    if (isMissing(raw)) throw new NotAvailableYet(number);
    return raw;
  }

  // The block before all else, since some nodes answer an error to other questions about one that they do not have.
  const toBlock = async (number: number, [reply, ...rest]: readonly RpcReply[]) =>
    numbered(await decode(present(reply, number), rest), number);

  /** Asks for a block; when endpoints disagree, one that continues ours is believed first. */
  async function find<T>(
    asked: readonly RpcCall[],
    number: number,
    parentHash: string | undefined,
    read: (replies: readonly RpcReply[]) => Promise<{ found: T; header: Header }>,
  ): Promise<T | undefined> {
    let fallback: T | undefined;
    const fitting = await orNull(
      request(asked, async (replies, has) => {
        const { found, header } = await read(replies);
        has(number);
        if (parentHash === undefined || header.parentHash === parentHash) return found;
        fallback ??= found;
        throw new NotAvailableYet();
      }),
    );
    return fitting ?? fallback;
  }

  /** A block that may not exist yet is asked for by itself: most polls come too early, and each call is paid for. */
  async function poll(number: number, parentHash: string | undefined): Promise<Block | null> {
    const [call, ...rest] = calls(number);
    if (!call) return null;
    const raw = await find([call], number, parentHash, async ([reply]) => {
      const found = present(reply, number);
      return { found, header: numbered(decodeHeader(found), number) };
    });
    if (raw === undefined) return null;
    if (rest.length === 0 || isWhole(raw)) return numbered(await decode(raw, []), number);
    return orNull(
      request(rest, async (replies) => {
        try {
          return numbered(await decode(raw, replies), number);
        } catch (error) {
          // Logs that come late, or of another endpoint's block: the next request is for both together, and judges them.
          throw error instanceof InvalidResponse && !(error instanceof NodeRefusal)
            ? new NotAvailableYet()
            : error;
        }
      }),
    );
  }

  return {
    async block(number, parentHash, isAnnounced = false) {
      if (number > head() && !isAnnounced) return poll(number, parentHash);
      const block = await find(calls(number), number, parentHash, async (replies) => {
        const found = await toBlock(number, replies);
        return { found, header: found };
      });
      return block ?? null;
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
