import type { ChainClient } from '../../chains/chainClient.ts';
import { encodeCall, type FunctionItem, parseFunction } from '../../codecs/evm/abi.ts';
import { decimalsData, readTokenDecimals, readTokenSymbol } from '../../codecs/evm/tokenMetadata.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';

type TokenState = {
  block: number;
  symbol: string | null;
  decimals: number;
  totalSupply: bigint;
  /** In the order of the holders. */
  balances: bigint[];
};
type TokenFault = { code: 'chain-unavailable' | 'not-a-token'; message: string };

const timeLimitMs = 5000;
const totalSupply = parseFunction('totalSupply()(uint256)');
const balanceOf = parseFunction('balanceOf(address)(uint256)');
const symbol = parseFunction('symbol()(string)');

/** Symbol, decimals, supply and balances of a token after the newest block, read in one call; or the reason of a failure. */
export async function readTokenState(
  client: ChainClient,
  token: string,
  holders: readonly string[],
): Promise<TokenState | { fault: TokenFault }> {
  const questions = [
    toQuestion(token, symbol),
    { type: 'call' as const, to: token, data: decimalsData },
    toQuestion(token, totalSupply),
    ...holders.map((holder) => toQuestion(token, balanceOf, holder)),
  ];
  // A chart is not kept waiting for as long as the nodes of a chain may take one after the other.
  const state = await settleWithin(timeLimitMs, readState(client, questions), () => unavailable);
  if ('fault' in state) return state;
  const [symbolAnswer, decimalsAnswer, supplyAnswer, ...balanceAnswers] = state.answers;
  const supply = toNumber(supplyAnswer);
  const balances = balanceAnswers.map(toNumber);
  if (supply === undefined || !balances.every((balance) => balance !== undefined))
    return {
      fault: {
        code: 'not-a-token',
        message: 'The contract does not answer totalSupply() and balanceOf(address) as a token does.',
      },
    };
  return {
    block: state.block,
    symbol: readTokenSymbol(dataOf(symbolAnswer) ?? '') ?? null,
    decimals: readTokenDecimals(dataOf(decimalsAnswer)),
    totalSupply: supply,
    balances,
  };
}

function toQuestion(token: string, item: FunctionItem, ...values: string[]): StateRead {
  return { type: 'call', to: token, data: encodeCall(item, values) };
}

type ChainState = { block: number; answers: readonly StateResult[] } | { fault: TokenFault };

async function readState(client: ChainClient, questions: readonly StateRead[]): Promise<ChainState> {
  try {
    const head = await client.header('latest');
    if (!head) return unavailable;
    const answers = await client.readState(head, questions);
    return answers.some((answer) => 'missing' in answer) ? unavailable : { block: head.number, answers };
  } catch {
    // The failing endpoint and its failure are for the operator, who finds them among the chains.
    return unavailable;
  }
}

const unavailable: { fault: TokenFault } = {
  fault: { code: 'chain-unavailable', message: 'The chain does not answer at the moment.' },
};

/** The first word, which is all that such a function gives. */
function toNumber(answer: StateResult | undefined): bigint | undefined {
  const data = dataOf(answer);
  return data === undefined || data.length < 66 ? undefined : BigInt(data.slice(0, 66));
}

function dataOf(answer: StateResult | undefined): string | undefined {
  if (!answer || 'missing' in answer || typeof answer.value !== 'object' || !('data' in answer.value))
    return undefined;
  return answer.value.data;
}
