import { functionSelector } from '../../codecs/evm/abi.ts';
import { transferTopic } from '../../codecs/evm/transferTopic.ts';
import { zip } from '../../lib/zip.ts';
import type { Frame, Transaction } from '../../model/block.ts';
import type { Reader } from '../../model/detection.ts';
import { tryHolding } from './tokens.ts';

const moves: ReadonlySet<string> = new Set(
  ['transfer(address,uint256)', 'transferFrom(address,address,uint256)', 'burn(uint256)'].map(
    functionSelector,
  ),
);

/** Bounds the reads; nearly all tokens report what they move. */
const maxAsked = 20;

/** Changes of tokens that a holder had moved and that reported nothing of it, by their balances before and after the block. */
export function silentMoves(
  read: Reader,
  { logs }: Transaction,
  frames: readonly Frame[],
  holder: string,
): [token: string, change: bigint][] {
  const reporting = new Set(logs.flatMap(({ address, key }) => (key === transferTopic ? [address] : [])));
  const silent = new Set(
    frames.flatMap(({ type, from, to, input, isReverted }) =>
      from === holder && type === 'CALL' && !isReverted && moves.has(input.slice(0, 10)) && !reporting.has(to)
        ? [to]
        : [],
    ),
  );
  const asked = [...silent].slice(0, maxAsked);
  const holdings = read.all(
    asked.map(
      (token) => () =>
        read.all([() => tryHolding(read, token, holder, 'parent'), () => tryHolding(read, token, holder)]),
    ),
  );
  return zip(asked, holdings).flatMap(([token, [before, after]]): [string, bigint][] =>
    before === undefined || after === undefined || before === after ? [] : [[token, after - before]],
  );
}
