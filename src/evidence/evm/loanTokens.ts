import { parseFunction } from '../../codecs/evm/abi.ts';
import { decodeTransfer } from '../../codecs/evm/erc20Transfer.ts';
import type { Log } from '../../model/block.ts';
import type { Reader } from '../../model/detection.ts';
import type { FlashLoan } from './flashLoanEvents.ts';
import { tryCall } from './readCall.ts';

/** The token as the loan or the pool names it, else the one of which the lender gave exactly this amount. */
export function withToken(read: Reader, logs: readonly Log[], loan: FlashLoan): FlashLoan {
  const token = loan.token ?? tokenOfPool(read, loan) ?? tokenGiven(logs, loan);
  return token === undefined ? loan : { ...loan, token };
}

/** Undefined where several tokens report such a transfer: one of them may be made up. */
function tokenGiven(logs: readonly Log[], { lender, amount }: FlashLoan): string | undefined {
  const given = logs.filter((log) => {
    const transfer = decodeTransfer(log);
    return transfer?.from === lender && transfer.amount === amount;
  });
  const [token, ...others] = new Set(given.map(({ address }) => address));
  return others.length === 0 ? token : undefined;
}

const poolTokens = [parseFunction('token0()(address)'), parseFunction('token1()(address)')] as const;

function tokenOfPool(read: Reader, { lender, side = 0 }: FlashLoan): string | undefined {
  const answer = tryCall(read, lender, poolTokens[side]);
  return 'failure' in answer ? undefined : String(answer.results[0]);
}

/** Amounts, as `token amount`, that went somewhere and of which at least as much came back to the same place afterwards. */
export function movedAndReturned(logs: readonly Log[]): ReadonlySet<string> {
  const moved = new Set<string>();
  const returned = new Map<string, bigint>();
  for (const log of logs.toReversed()) {
    const transfer = decodeTransfer(log);
    if (!transfer || transfer.from === transfer.to) continue;
    const { from, to, amount } = transfer;
    const back = returned.get(`${log.address} ${from}`) ?? 0n;
    if (back >= amount) moved.add(`${log.address} ${amount}`);
    const key = `${log.address} ${to}`;
    returned.set(key, (returned.get(key) ?? 0n) + amount);
  }
  return moved;
}
