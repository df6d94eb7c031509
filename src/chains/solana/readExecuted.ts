import { base58 } from '@scure/base';
import { nativePrograms } from '../../codecs/solana/nativeInstructions.ts';
import type { Log, Transaction, TransactionCall } from '../../model/block.ts';
import { listOf, numberOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse } from '../net/replies.ts';

/** Effects of a transaction: executed instructions and emitted events. */
export type Executed = {
  readonly calls: readonly TransactionCall[];
  readonly logs: readonly Log[];
  /** Log lines of programs. */
  readonly messages: readonly string[];
};

/** Digits of the discriminator by which Anchor tells instructions and events apart. */
const keyDigits = 16;
/** With which Anchor begins an instruction of a program to itself that carries an event. */
const eventCall = 'e445a52e51cb9a1d';

/** Of what `getTransaction` sends, decoded on first use. */
export function readExecuted(raw: Raw, { hash, index }: Pick<Transaction, 'hash' | 'index'>): Executed {
  let calls: readonly TransactionCall[] | undefined;
  let logs: readonly Log[] | undefined;
  const executed: Executed = {
    get calls() {
      calls ??= readCalls(raw);
      return calls;
    },
    get logs() {
      logs ??= findEvents(executed.calls, recordOf(raw.meta).logMessages).map(
        ({ program, data }, position): Log => ({
          address: program,
          key: data.slice(0, keyDigits),
          indexed: [],
          data,
          parties: [],
          // Of this transaction alone: the others are not all fetched, and the position must stay the same.
          index: position,
          transactionHash: hash,
          transactionIndex: index,
        }),
      );
      return logs;
    },
    get messages() {
      return listOf(recordOf(raw.meta).logMessages ?? [], 'logMessages').map(String);
    },
  };
  return executed;
}

/** Each instruction of the transaction, followed by those that it led to. */
function readCalls(raw: Raw): TransactionCall[] {
  const { meta, transaction } = raw;
  const { loadedAddresses, innerInstructions } = recordOf(meta);
  const { accountKeys, instructions } = recordOf(recordOf(transaction).message);
  const { writable = [], readonly: readOnly = [] } = recordOf(loadedAddresses ?? {});
  const keys = [accountKeys, writable, readOnly].flatMap((list) => listOf(list, 'keys'));
  const keyAt = (index: unknown) => textOf(keys[numberOf(index, 'key')], 'key');
  const inner = new Map<number, readonly unknown[]>();
  for (const group of listOf(innerInstructions ?? [], 'innerInstructions')) {
    const { index, instructions: innerList } = recordOf(group);
    inner.set(numberOf(index, 'index'), listOf(innerList, 'instructions'));
  }
  return listOf(instructions, 'instructions')
    .flatMap((item, index) => [item, ...(inner.get(index) ?? [])])
    .map((item, position) => {
      const { programIdIndex, accounts, data } = recordOf(item);
      const input = Buffer.from(decodeData(data)).toString('hex');
      const contract = keyAt(programIdIndex);
      return {
        contract,
        key: input.slice(0, nativePrograms.get(contract)?.keyDigits ?? keyDigits),
        input,
        accounts: listOf(accounts, 'accounts').map(keyAt),
        position,
      };
    });
}

function decodeData(data: unknown): Uint8Array {
  try {
    return base58.decode(textOf(data, 'data'));
  } catch {
    throw new InvalidResponse('the data of an instruction is not base58');
  }
}

type Event = { program: string; data: string };

/** By `Program data:` in the log of a program, and by instructions of a program to itself. */
function findEvents(calls: readonly TransactionCall[], messages: unknown): Event[] {
  const events: Event[] = [];
  const running: string[] = [];
  for (const message of listOf(messages ?? [], 'logMessages')) {
    const line = String(message);
    const started = /^Program (\S+) invoke \[\d+\]$/.exec(line)?.[1];
    if (started !== undefined) running.push(started);
    else if (/^Program \S+ (success|failed)/.test(line)) running.pop();
    else if (line.startsWith('Program data: ')) {
      const program = running.at(-1);
      const data = Buffer.from(line.slice('Program data: '.length).split(' ')[0] ?? '', 'base64').toString(
        'hex',
      );
      if (program !== undefined && data !== '') events.push({ program, data });
    }
  }
  for (const { contract, input } of calls)
    if (input.startsWith(eventCall)) events.push({ program: contract, data: input.slice(eventCall.length) });
  return events;
}
