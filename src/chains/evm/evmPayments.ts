import { eventTopic } from '../../codecs/evm/abi.ts';
import { transferTopic } from '../../codecs/evm/erc20Transfer.ts';
import { topicAddress, wordAt, zeroAddress } from '../../codecs/evm/words.ts';
import type { Log, Payment, Transaction } from '../../model/block.ts';

type Paying = Pick<Transaction, 'from' | 'to' | 'value' | 'input' | 'logs'>;

/** The payments of a transaction: native coins, tokens, and what mixers and bridges report by events of their own. */
export function* evmPayments(
  transaction: Paying,
  isSource: (address: string) => boolean,
): Generator<Payment> {
  for (const payment of allPayments(transaction, isSource)) if (payment.to !== zeroAddress) yield payment;
}

function* allPayments(transaction: Paying, isSource: (address: string) => boolean): Generator<Payment> {
  const { from, to, value, input, logs } = transaction;
  if (to !== null && value > 0n) yield { from, to, isDirect: input === '0x' };
  for (const log of logs) {
    const recipient = recipients.get(log.key)?.(log);
    if (recipient !== undefined) yield { from: log.address, to: recipient, isDirect: false };
    const transfer = readTransfer(log);
    if (!transfer) continue;
    // Anyone can write a token whose logs name a mixer as sender; in a real transfer the mixer takes part.
    if (isSource(transfer.from)) {
      if (takesPart(transfer.from, transaction)) yield { ...transfer, isDirect: false };
    } else if (transfer.from === from && log.address === to) yield { ...transfer, isDirect: true };
  }
}

/** Events by which a source reports whom it pays native coins, and where in them the recipient is. */
const recipients = new Map<string, (log: Log) => string | undefined>([
  // Tornado Cash: Withdrawal(address to, bytes32 nullifierHash, address indexed relayer, uint256 fee)
  [
    eventTopic('Withdrawal(address,bytes32,address,uint256)'),
    ({ data }) => (data.length >= 66 ? topicAddress(data.slice(0, 66)) : undefined),
  ],
  // Bridges of the OP stack: ETHBridgeFinalized(address indexed from, address indexed to, uint256 amount, bytes extraData)
  [
    eventTopic('ETHBridgeFinalized(address,address,uint256,bytes)'),
    ({ indexed: [, to] }) => (to === undefined ? undefined : topicAddress(to)),
  ],
]);

/** A transfer of tokens with both ends indexed, unless it moves nothing. */
function readTransfer({ key, indexed, data }: Log): { from: string; to: string } | undefined {
  const [from, to, more] = indexed;
  if (key !== transferTopic || from === undefined || to === undefined || more !== undefined) return undefined;
  if (data.length !== 66 || wordAt(data, 0) === 0n) return undefined;
  return { from: topicAddress(from), to: topicAddress(to) };
}

function takesPart(address: string, { from, to, logs }: Pick<Transaction, 'from' | 'to' | 'logs'>): boolean {
  return from === address || to === address || logs.some((log) => log.address === address);
}
