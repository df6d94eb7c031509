import { functionSelector } from '../../codecs/evm/abi.ts';
import { decodeTransfer } from '../../codecs/evm/erc20Transfer.ts';
import { topicAddress, wordAt } from '../../codecs/evm/words.ts';
import type { Frame, Log, Transaction } from '../../model/block.ts';

/** A spender takes tokens of an owner by an allowance. */
export type Pull = {
  readonly token: string;
  readonly owner: string;
  /** The contract that decided to pull: not the transfer proxy that does it for others. */
  readonly spender: string;
  readonly amount: bigint;
};

const transferFrom = functionSelector('transferFrom(address,address,uint256)');
/** Holds the allowances of most wallets and pulls for whatever contract its owner signed for. */
const permit2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';

/**
 * Pulls from owners who neither sent the transaction nor called on the way to the pull. Being called does not count,
 * because anyone can make a transaction call a bystander.
 */
export function pullsFromStrangers(
  { from: sender }: Transaction,
  frames: readonly Frame[],
  transferProxies: readonly string[],
): Pull[] {
  const proxies = new Set([permit2, ...transferProxies]);
  const pulls: Pull[] = [];
  /** The frames above the next one, and how often each address is part of them: a transaction may have a hundred thousand. */
  const above: Frame[] = [];
  const onTheWay = new Map<string, number>([[sender, 1]]);
  const count = ({ from, to }: Frame, by: 1 | -1) => {
    for (const address of [from, to]) onTheWay.set(address, (onTheWay.get(address) ?? 0) + by);
  };
  for (const frame of frames) {
    while (above.length > frame.depth) count(above.pop()!, -1);
    const pull = frame.isReverted || frame.type !== 'CALL' ? undefined : decodePull(frame);
    if (pull && pull.owner !== frame.from && (onTheWay.get(pull.owner) ?? 0) === 0)
      pulls.push({ ...pull, token: frame.to, spender: spenderOf(frame, above, proxies) });
    above.push(frame);
    count(frame, 1);
  }
  return pulls;
}

function decodePull({ input }: Frame): { owner: string; amount: bigint } | undefined {
  if (!input.startsWith(transferFrom) || input.length < 2 + 8 + 3 * 64) return undefined;
  const words = `0x${input.slice(10)}`;
  const amount = wordAt(words, 2);
  return amount === 0n ? undefined : { owner: topicAddress(words.slice(0, 66)), amount };
}

function spenderOf(frame: Frame, above: readonly Frame[], proxies: ReadonlySet<string>): string {
  let spender = frame.from;
  for (let index = above.length - 1; index >= 0 && proxies.has(spender); index--)
    if (above[index]!.to === spender && above[index]!.from !== spender) spender = above[index]!.from;
  return spender;
}

/**
 * The same by logs alone, where nothing shows the calls: what leaves accounts other than the sender. Pools and vaults pay by
 * themselves, so the caller must leave out accounts that have code.
 */
export function paymentsOfOthers({ from: sender, to, logs }: Transaction): Pull[] {
  return logs.flatMap((log) => {
    const transfer = decodeTransfer(log);
    if (!transfer || to === null || transfer.amount === 0n) return [];
    const { from: owner, amount } = transfer;
    return owner === sender || owner === to ? [] : [{ token: log.address, owner, spender: to, amount }];
  });
}

/** By how much these logs say that accounts have more or less of tokens. */
export function changesIn(
  logs: readonly Log[],
  accounts: ReadonlySet<string>,
): Map<string, Map<string, bigint>> {
  const changes = new Map<string, Map<string, bigint>>();
  const add = (account: string, token: string, amount: bigint) => {
    if (!accounts.has(account)) return;
    const accountChanges = changes.get(account) ?? new Map<string, bigint>();
    changes.set(account, accountChanges.set(token, (accountChanges.get(token) ?? 0n) + amount));
  };
  for (const log of logs) {
    const transfer = decodeTransfer(log);
    if (!transfer) continue;
    add(transfer.from, log.address, -transfer.amount);
    add(transfer.to, log.address, transfer.amount);
  }
  return changes;
}
