import { codeConstants } from '../../../codecs/evm/codeConstants.ts';
import { answerLength, isPriceQuestion } from '../../../codecs/evm/priceQuestions.ts';
import { zeroAddress } from '../../../codecs/evm/words.ts';
import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { isRecord } from '../../../lib/isRecord.ts';
import { itemAt } from '../../../lib/itemAt.ts';
import { TextHead } from '../../../lib/textHead.ts';
import { type Block, type Frame, frameTypes, type Transaction } from '../../../model/block.ts';
import type { TraceKind } from '../../chainClient.ts';
import { InvalidResponse } from '../../net/replies.ts';

type Frames = readonly Frame[];
type Raw = Readonly<Record<string, unknown>>;

/**
 * The calls within each transaction, or within that one `only`, checked against the block that they shall be of. Others take
 * turns: a block may have hundreds of thousands.
 */
export async function decodeFrames(
  kind: TraceKind,
  raw: unknown,
  block: Block,
  only?: number,
): Promise<Frames[]> {
  if (only !== undefined) {
    const wantedBlock = { ...block, transactions: [itemAt(block.transactions, only)] };
    return kind === 'debug'
      ? decodeTrees([{ result: raw }], wantedBlock)
      : decodeFlat(list(raw), wantedBlock);
  }
  const items = list(raw);
  return kind === 'debug' ? decodeTrees(items, block) : decodeFlat(items, block);
}

/** One tree for each transaction, as the call tracer gives them. */
async function decodeTrees(items: readonly unknown[], { transactions }: Block): Promise<Frames[]> {
  if (items.length !== transactions.length)
    throw new InvalidResponse(`it traced ${items.length} transactions of ${transactions.length}`);
  const decoded: Frames[] = [];
  for (const [index, transaction] of transactions.entries()) {
    const item = record(items[index]);
    if (item.txHash !== undefined && item.txHash !== transaction.hash)
      throw new InvalidResponse('a trace is of another transaction');
    if (typeof item.error === 'string') throw new InvalidResponse(`it could not trace: ${item.error}`);
    decoded.push(checked(transaction, await flattenInTurns(record(item.result))));
  }
  return decoded;
}

/** Frames between two looks at the clock. */
const turnFrames = 256;

/** The calls of one tree in the order in which they began. */
export function flattenCalls(root: Raw): Frame[] {
  const frames: Frame[] = [];
  const turns = flatten(root, frames);
  while (!turns.next().done);
  return frames;
}

async function flattenInTurns(root: Raw): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (const turns = flatten(root, frames); !turns.next().done; ) await yieldToEventLoop();
  return frames;
}

/** Without recursion: a contract chooses how deep it goes. */
function* flatten(root: Raw, frames: Frame[]): Generator<undefined, void> {
  const waiting: { raw: Raw; depth: number; parent: number }[] = [{ raw: root, depth: 0, parent: -1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { raw, depth, parent } = next;
    const position = frames.length;
    if (position % turnFrames === 0) yield;
    frames.push(
      toFrame(raw.type, raw, { depth, parent, error: raw.error, isIn: frames[parent]?.isReverted === true }),
    );
    const inner = raw.calls === undefined || raw.calls === null ? [] : list(raw.calls);
    for (let index = inner.length - 1; index >= 0; index--)
      waiting.push({ raw: record(inner[index]), depth: depth + 1, parent: position });
  }
}

/** One list for the whole block, in which each call names its place in the tree of its transaction. */
async function decodeFlat(items: readonly unknown[], { hash, transactions }: Block): Promise<Frames[]> {
  const byHash = new Map<string, Frame[]>(transactions.map((transaction) => [transaction.hash, []]));
  /** The frames above the next one, by depth. */
  let above: number[] = [];
  for (const [index, item] of items.entries()) {
    if (index % turnFrames === 0) await yieldToEventLoop();
    const raw = record(item);
    if (raw.blockHash !== hash) throw new InvalidResponse('a trace is of another block');
    if (typeof raw.transactionHash !== 'string') continue;
    const frames = byHash.get(raw.transactionHash);
    if (!frames) throw new InvalidResponse('a trace is of another transaction');
    const depth = list(raw.traceAddress).length;
    if (frames.length === 0) above = [];
    if (depth > above.length || (depth === 0 && frames.length > 0))
      throw new InvalidResponse('the frames of a trace do not fit together');
    const parent = above[depth - 1] ?? -1;
    above = [...above.slice(0, depth), frames.length];
    frames.push(
      toFrame(...flatMembers(raw), {
        depth,
        parent,
        error: raw.error,
        isIn: frames[parent]?.isReverted === true,
      }),
    );
  }
  return transactions.map((transaction) => checked(transaction, byHash.get(transaction.hash) ?? []));
}

function flatMembers({ type, action: rawAction, result }: Raw): [type: unknown, members: Raw] {
  const action = record(rawAction);
  if (type === 'suicide')
    return ['SELFDESTRUCT', { from: action.address, to: action.refundAddress, value: action.balance }];
  const output = isRecord(result) ? result.output : undefined;
  if (type !== 'create') return [String(action.callType).toUpperCase(), { ...action, output }];
  const method = typeof action.creationMethod === 'string' ? action.creationMethod.toUpperCase() : 'CREATE';
  return [method, { ...action, input: action.init, to: isRecord(result) ? result.address : undefined }];
}

function toFrame(
  rawType: unknown,
  { from, to, value, input, inputLength, output }: Raw,
  { depth, parent, error, isIn }: { depth: number; parent: number; error: unknown; isIn: boolean },
): Frame {
  const type = frameTypes.find((known) => known === rawType);
  if (!type) throw new InvalidResponse(`a frame is of the unknown type ${String(rawType)}`);
  if (typeof from !== 'string') throw new InvalidResponse('a frame has no sender');
  const code = textOf(input) ?? '0x';
  const failure = textOf(error);
  const returned = textOf(output);
  return {
    type,
    depth,
    parent,
    from: from.toLowerCase(),
    to: typeof to === 'string' ? to.toLowerCase() : '',
    // Nodes repeat the value of the caller for code that it borrows, which moves nothing.
    value: type === 'DELEGATECALL' || typeof value !== 'string' || value === '0x0' ? 0n : BigInt(value),
    input: code,
    ...(input instanceof TextHead && { inputLength: input.length }),
    // As the tracer of heads says it.
    ...(typeof inputLength === 'number' && inputLength > code.length && { inputLength }),
    isReverted: isIn || failure !== undefined,
    ...(failure !== undefined && { error: failure, ...(returned !== undefined && { output: returned }) }),
    ...(failure === undefined &&
      !isIn &&
      returned !== undefined &&
      isPriceQuestion(code) && { answer: returned.slice(0, answerLength) }),
    ...(isCreation(type) && { mentions: () => codeConstants(code).addresses }),
  };
}

function textOf(value: unknown): string | undefined {
  return value instanceof TextHead ? value.text : typeof value === 'string' ? value : undefined;
}

function isCreation(type: Frame['type']): boolean {
  return type === 'CREATE' || type === 'CREATE2';
}

/** The outermost frame must be what the transaction says, and one with logs cannot have failed. */
function checked(transaction: Transaction, frames: readonly Frame[]): readonly Frame[] {
  const [root] = frames;
  const { from, to, logs } = transaction;
  // A chain's own work in a block is a transaction of the zero address, which nodes do not trace.
  if (!root && from === zeroAddress) return [];
  if (!root) throw new InvalidResponse(`the trace of ${transaction.hash} is missing`);
  if (root.from !== from || (to === null ? !isCreation(root.type) : root.to !== to))
    throw new InvalidResponse(`the trace of ${transaction.hash} does not fit the transaction`);
  if (root.isReverted && logs.length > 0)
    throw new InvalidResponse(`the trace of ${transaction.hash} says that it failed, but it has logs`);
  return frames;
}

function record(value: unknown): Raw {
  if (!isRecord(value)) throw new InvalidResponse('a trace is not a record');
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidResponse('traces are not a list');
  return value;
}
