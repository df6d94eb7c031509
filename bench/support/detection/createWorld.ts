import { eventTopic } from '../../../src/codecs/evm/abi.ts';
import { codeConstants } from '../../../src/codecs/evm/codeConstants.ts';
import { EvmLog } from '../../../src/codecs/evm/evmLog.ts';
import type { ReadRequest } from '../../../src/matching/createReadCache.ts';
import type { Block, BlockFrames, Frame, Log, Receipt, Transaction } from '../../../src/model/block.ts';
import type { Allocation, Funding, Label } from '../../../src/model/detection.ts';
import type { StateRead } from '../../../src/model/stateRead.ts';

export type LogSpec = { address: string; topics: readonly string[]; data?: string };
export type CallSpec = {
  from: string;
  to: string | null;
  value?: bigint;
  input?: string;
  gas?: number;
  fee?: number;
  logs?: readonly LogSpec[];
  isFailed?: boolean;
  /** How many transactions the sender sent before; many unless it is said. */
  nonce?: number;
  /** Calls within it, in the order in which they began. */
  inner?: readonly InnerSpec[];
};
/** A call by a contract; `depth` is 1 unless it is said. */
export type InnerSpec = Partial<Pick<Frame, 'type' | 'depth' | 'value' | 'input' | 'isReverted'>> &
  Pick<Frame, 'from' | 'to'>;
export type World = ReturnType<typeof createWorld>;

export const coin = 10n ** 18n;
const syncTopic = eventTopic('Sync(uint112,uint112)');
const transferTopic = eventTopic('Transfer(address,address,uint256)');
const zeroAddress = `0x${'0'.repeat(40)}`;

/**
 * A chain in memory, only as far as detectors read it: balances, tokens, storage, code, price feeds, receipts, of the last block
 * and of the one before. What a transaction does to the state is done by its sender.
 */
export function createWorld(startAt: number) {
  const values = new Map<string, bigint | string>();
  /** What values were before the block. */
  let before = new Map<string, bigint | string | undefined>();
  let pending: CallSpec[] = [];
  let receipts = new Map<string, Receipt>();
  let traces = new Map<string, readonly Frame[]>();
  const labels = new Map<string, Label[]>();
  const funding = new Map<string, Funding>();
  const allocations: Allocation[] = [];
  let number = 1_000;
  let now = startAt;
  let httpStatus = 200;

  function set(key: string, value: bigint | string): void {
    if (!before.has(key)) before.set(key, values.get(key));
    values.set(key, value);
  }
  const get = (key: string) => (values.get(key) as bigint | undefined) ?? 0n;
  const add = (key: string, amount: bigint) => set(key, get(key) + amount);

  /** Moves tokens as far as they are there, mints them (from zero) or burns them (to zero); the log that reports it. */
  function transfer(token: string, from: string, to: string, wanted: bigint): LogSpec {
    const held = get(`token ${token} ${from}`);
    const amount = from !== zeroAddress && held < wanted ? held : wanted;
    if (from === zeroAddress) add(`supply ${token}`, amount);
    else add(`token ${token} ${from}`, -amount);
    if (to === zeroAddress) add(`supply ${token}`, -amount);
    else add(`token ${token} ${to}`, amount);
    return { address: token, topics: [transferTopic, toTopic(from), toTopic(to)], data: `0x${word(amount)}` };
  }

  function pay(from: string, to: string, amount: bigint): void {
    add(`balance ${from}`, -amount);
    add(`balance ${to}`, amount);
  }

  /** What a pool of these two reports after a trade, as Uniswap's do. */
  function sync(pool: string, first: string, second: string): LogSpec {
    const reserves = [first, second].map((token) => get(`token ${token} ${pool}`));
    return reportReserves(pool, reserves[0]!, reserves[1]!);
  }

  function reportReserves(pool: string, first: bigint, second: bigint): LogSpec {
    set(`reserve0 ${pool}`, first);
    set(`reserve1 ${pool}`, second);
    return { address: pool, topics: [syncTopic], data: `0x${word(first)}${word(second)}` };
  }

  function mine(intervalMs: number): { block: Block; frames: BlockFrames } {
    number++;
    now += intervalMs;
    const hash = hashOf(number);
    const logs: Log[] = [];
    receipts = new Map();
    const transactions = pending.map((spec, index): Transaction => {
      const transactionHash = `${hash.slice(0, 58)}${index.toString(16).padStart(8, '0')}`;
      const own = (spec.isFailed ? [] : (spec.logs ?? [])).map(
        ({ address, topics, data = '0x' }, place) =>
          new EvmLog({
            address,
            topics,
            data,
            index: logs.length + place,
            transactionHash,
            transactionIndex: index,
          }),
      );
      logs.push(...own);
      receipts.set(transactionHash, {
        isSuccess: !spec.isFailed,
        used: BigInt(Math.round(spec.gas ?? 50_000)),
        price: 10n ** 9n,
        contractAddress: null,
      });
      const input = spec.input ?? '0x';
      return {
        hash: transactionHash,
        index,
        from: spec.from,
        to: spec.to,
        value: spec.value ?? 0n,
        input,
        callKey: input.slice(0, 10),
        nonce: spec.nonce ?? 500,
        priorityFee: BigInt(Math.round(spec.fee ?? 1e9)),
        logs: own,
        payments: () => [],
        transfers: [],
        ...(spec.to === null && { mentions: () => codeConstants(input).addresses }),
      };
    });
    const frames = pending.map(toFrames);
    traces = new Map(transactions.map((transaction, index) => [transaction.hash, frames[index]!]));
    const used = [...receipts.values()].reduce((sum, receipt) => sum + receipt.used, 0n);
    pending = [];
    const block: Block = {
      chainUid: 'ethereum',
      number,
      hash,
      parentHash: hashOf(number - 1),
      timestamp: now,
      transactions,
      logs,
      upgraded: [],
      used,
      limit: 30_000_000n,
      size: 600 + 150 * transactions.length + 100 * logs.length,
      receivedAt: now + 500,
    };
    return { block, frames };
  }

  function answer(request: ReadRequest): unknown {
    switch (request.type) {
      case 'origin':
        return { missing: 'this world keeps no past' };
      case 'waiting':
        return [];
      case 'labels':
        return labels.get(request.address) ?? [];
      case 'funding':
        return funding.get(request.address) ?? null;
      case 'newestAlert':
        return null;
      case 'allocations':
        return allocations;
      case 'http':
        return { status: httpStatus, body: '{}', durationMs: 20 };
      case 'script':
        return { fault: { message: 'There are no scripts here.' } };
      case 'newest':
        return { value: readState(request.question, (key) => values.get(key)) };
      case 'chain': {
        const isParent = request.at.hash !== hashOf(number);
        return {
          value: readState(request.question, (key) =>
            (isParent && before.has(key) ? before : values).get(key),
          ),
        };
      }
    }
  }

  function readState(question: StateRead, look: (key: string) => bigint | string | undefined): unknown {
    switch (question.type) {
      case 'balance':
        return look(`balance ${question.address}`) ?? 0n;
      case 'code':
        return look(`code ${question.address}`) ?? '0x';
      case 'storage':
        return look(`slot ${question.address} ${question.key}`) ?? `0x${'0'.repeat(64)}`;
      case 'receipt':
        return receipts.get(question.hash)!;
      case 'replay':
        return { data: '0x' };
      case 'trace':
        return { calls: (traces.get(question.hash) ?? []).slice(1) };
      case 'holding':
      case 'supply':
      case 'decimals':
      case 'symbol':
        throw new Error('Tokens are contracts in this world.');
      case 'call': {
        const result = callResult(question.to, question.data, look);
        return result === undefined ? { failure: 'execution reverted' } : { data: result };
      }
    }
  }

  return {
    get now() {
      return now;
    },
    get number() {
      return number;
    },
    /** Starts a block: what changes from now on belongs to it. */
    begin() {
      before = new Map();
    },
    send: (spec: CallSpec) => void pending.push(spec),
    fetch: async (requests: readonly ReadRequest[]) => requests.map(answer),
    setHttpStatus(status: number) {
      httpStatus = status;
    },
    transfer,
    sync,
    reportReserves,
    pay,
    mine,
    set,
    get,
    labels,
    funding,
    allocations,
  };
}

/** The call itself, and those within it; what fails leaves nothing. */
function toFrames({ from, to, value = 0n, input = '0x', isFailed = false, inner = [] }: CallSpec): Frame[] {
  const root = { from, to: to ?? createdBy(from), value, input, isReverted: isFailed };
  const frames: Frame[] = [{ ...root, type: to === null ? 'CREATE' : 'CALL', depth: 0, parent: -1 }];
  for (const spec of inner) {
    const frame = { type: 'CALL' as const, depth: 1, value: 0n, input: '0x', isReverted: isFailed, ...spec };
    const parent = frames.findLastIndex(({ depth }) => depth === frame.depth - 1);
    const isCreation = frame.type === 'CREATE' || frame.type === 'CREATE2';
    frames.push({
      ...frame,
      parent,
      ...(isCreation && { mentions: () => codeConstants(frame.input).addresses }),
    });
  }
  return frames;
}

/** Some address; nobody asks which. */
function createdBy(creator: string): string {
  return `${creator.slice(0, -4)}c0de`;
}

/** Functions that tokens and price feeds answer. */
function callResult(
  to: string,
  data: string,
  look: (key: string) => bigint | string | undefined,
): string | undefined {
  const supply = look(`supply ${to}`);
  const price = look(`price ${to}`);
  switch (data.slice(0, 10)) {
    case '0x70a08231':
      return supply === undefined ? undefined : `0x${word(look(`token ${to} 0x${data.slice(34)}`) ?? 0n)}`;
    case '0x18160ddd':
      return supply === undefined ? undefined : `0x${word(supply)}`;
    case '0x313ce567':
      return supply === undefined && price === undefined
        ? undefined
        : `0x${word(price === undefined ? 18n : 8n)}`;
    case '0x95d89b41':
      return supply === undefined ? undefined : `0x${Buffer.from('TKN').toString('hex').padEnd(64, '0')}`;
    // latestRoundData()
    case '0xfeaf968c': {
      const at = look(`updated ${to}`) ?? 0n;
      const round = look(`round ${to}`) ?? 1n;
      return price === undefined ? undefined : `0x${[round, price, at, at, round].map(word).join('')}`;
    }
    // getReserves()
    case '0x0902f1ac': {
      const reserves = [look(`reserve0 ${to}`), look(`reserve1 ${to}`)];
      return reserves.some((reserve) => reserve === undefined)
        ? undefined
        : `0x${[...reserves, 0n].map((reserve) => word(reserve!)).join('')}`;
    }
    // slot0()
    case '0x3850c7bd': {
      const root = look(`root ${to}`);
      return root === undefined ? undefined : `0x${word(root)}`;
    }
    // token0(), token1()
    case '0x0dfe1681':
    case '0xd21220a7': {
      const token = look(`token${data.startsWith('0x0d') ? 0 : 1} ${to}`);
      return token === undefined ? undefined : `0x${word(token)}`;
    }
    // convertToAssets(uint256)
    case '0x07a2d13a': {
      const rate = look(`rate ${to}`);
      return rate === undefined ? undefined : `0x${word(rate)}`;
    }
    // nonce()
    case '0xaffed0e0':
      return `0x${word(look(`nonce ${to}`) ?? 0n)}`;
    default:
      return undefined;
  }
}

export function word(value: bigint | string): string {
  return BigInt(value).toString(16).padStart(64, '0');
}

export function toTopic(address: string): string {
  return `0x${word(address)}`;
}

function hashOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}
