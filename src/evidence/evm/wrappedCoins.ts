import { eventTopic } from '../../codecs/evm/abi.ts';
import { decodeTransfer, netOutflow } from '../../codecs/evm/erc20Transfer.ts';
import { logWords, topicAddress, zeroAddress } from '../../codecs/evm/words.ts';
import type { Log } from '../../model/block.ts';
import type { ChainFacts, Reader } from '../../model/detection.ts';
import { readSupply } from './tokens.ts';

/** The token that stands one for one for the chain's coin, as its makers publish it; as of November 2026. */
const wrappedCoins: Readonly<Record<string, string>> = {
  ethereum: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  sepolia: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
  ethereum_sepolia: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
  arbitrum: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
  optimism: '0x4200000000000000000000000000000000000006',
  base: '0x4200000000000000000000000000000000000006',
  base_sepolia: '0x4200000000000000000000000000000000000006',
  bsc: '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
  bsc_testnet: '0xae13d989dac2f0debff460ac112a837c89baa7cd',
  polygon: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
  avalanche: '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7',
  gnosis: '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d',
  fantom: '0x21be370d5312f44cb42ce377bc9b8a0cef1a4c83',
  linea: '0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f',
  scroll: '0x5300000000000000000000000000000000000004',
  zksync: '0x5aea5775959fbc2557cc8789bc1bf90a239d9a91',
  avalanche_fuji: '0xd00ae08403b9bbb9124bb305c09058e32c39a48c',
  telos: '0xd102ce6a4db07d247fcc28f366a623df0938ca9e',
  zeta: '0x5f0b1a82749cb4e2278ec87f8bf6b618dc71a8bf',
};

export const wrapTopic = eventTopic('Deposit(address,uint256)');
export const unwrapTopic = eventTopic('Withdrawal(address,uint256)');

/** The chain's wrapped coin; undefined where none is listed. */
export function wrappedCoinOf(chainUid: string): string | undefined {
  return wrappedCoins[chainUid];
}

/**
 * True if the token is the chain's wrapped coin. On a local chain any fully backed token is; elsewhere a thief could
 * make such a token to hide a theft.
 */
export function isWrappedCoin(read: Reader, { uid }: ChainFacts, token: string): boolean {
  if (uid !== 'anvil') return token === wrappedCoins[uid];
  const backing = read.optional(() => readSupply(read, token));
  return backing !== undefined && backing > 0n && read.balance(token) >= backing;
}

export type Wrapping = {
  readonly token: string;
  readonly account: string;
  readonly amount: bigint;
  readonly index: number;
};

/** Coins that logs say accounts have wrapped, or unwrapped (below 0), where no mint or burn of the token says the same. */
export function wrappingsIn(logs: readonly Log[]): Wrapping[] {
  const wrappings = logs.flatMap((log) => {
    const wrapping = decodeWrapping(log);
    return wrapping
      ? [{ ...wrapping, key: `${log.transactionHash} ${log.address} ${wrapping.account} ${wrapping.amount}` }]
      : [];
  });
  if (wrappings.length === 0) return [];
  const issued = new Set(logs.flatMap(issueKey));
  return wrappings.filter(({ key }) => !issued.has(key));
}

/**
 * The amount of its own holdings that an account wrapped, or unwrapped (below 0). `passed`: the amount that it received
 * in one form and sent on in the other, as routers do.
 */
export function ownWrapping(
  logs: readonly Log[],
  token: string,
  account: string,
): { own: bigint; passed: bigint } {
  const ofToken = logs.filter(({ address }) => address === token);
  const sum = wrappingsIn(ofToken)
    .filter((wrapping) => wrapping.account === account)
    .reduce((all, { amount }) => all + amount, 0n);
  const left = netOutflow(
    ofToken.flatMap((log) => decodeTransfer(log) ?? []),
    account,
  );
  // Of what it unwraps, what came in as tokens; of what it wraps, what went out as tokens.
  const passed = sum < 0n ? -smaller(-sum, -left) : smaller(sum, left);
  return { own: sum - passed, passed };
}

function smaller(a: bigint, b: bigint): bigint {
  return b <= 0n ? 0n : a < b ? a : b;
}

/** A mint, or a burn (below 0), as wrapped coins that report both name it. */
function issueKey(log: Log): string[] {
  const transfer = decodeTransfer(log);
  if (!transfer) return [];
  const { from, to, amount } = transfer;
  const origin = `${log.transactionHash} ${log.address}`;
  if (from === zeroAddress) return [`${origin} ${to} ${amount}`];
  return to === zeroAddress ? [`${origin} ${from} ${-amount}`] : [];
}

function decodeWrapping(log: Log): Wrapping | undefined {
  if (log.key !== wrapTopic && log.key !== unwrapTopic) return undefined;
  const [account, amount, more] = logWords(log);
  if (account === undefined || amount === undefined || more !== undefined) return undefined;
  const wrapped = BigInt(amount);
  return {
    token: log.address,
    account: topicAddress(account),
    index: log.index,
    amount: log.key === wrapTopic ? wrapped : -wrapped,
  };
}
