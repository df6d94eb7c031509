import { encodeCall, functionSelector, parseFunction } from '../../codecs/evm/abi.ts';
import { decimalsData, symbolData } from '../../codecs/evm/tokenMetadata.ts';
import type { StateRead } from '../../model/stateRead.ts';
import type { RpcCall } from '../net/createRpc.ts';

/** The RPC call for a question about the state at a block, which `at` names. */
export function toRpcCall(question: StateRead, at: unknown): RpcCall {
  switch (question.type) {
    case 'call':
      return { method: 'eth_call', params: [{ to: question.to, data: question.data }, at] };
    case 'balance':
      return { method: 'eth_getBalance', params: [question.address, at] };
    case 'code':
      return { method: 'eth_getCode', params: [question.address, at] };
    // Tokens are contracts here.
    case 'holding':
      return { method: 'eth_call', params: [{ to: question.asset, data: holdingData(question.holder) }, at] };
    case 'supply':
    case 'decimals':
    case 'symbol':
      return { method: 'eth_call', params: [{ to: question.asset, data: tokenData[question.type] }, at] };
    case 'storage':
      return { method: 'eth_getStorageAt', params: [question.address, question.key, at] };
    case 'receipt':
      return { method: 'eth_getTransactionReceipt', params: [question.hash] };
    case 'trace':
      return { method: 'debug_traceTransaction', params: [question.hash, { tracer: 'callTracer' }] };
    case 'replay': {
      const { from, to, data, value } = question;
      return { method: 'eth_call', params: [{ from, to, data, value }, at] };
    }
  }
}

const balanceOf = parseFunction('balanceOf(address)(uint256)');
const holdingData = (holder: string) => encodeCall(balanceOf, [holder]);
const tokenData = { supply: functionSelector('totalSupply()'), decimals: decimalsData, symbol: symbolData };

/** A number as nodes want it. */
export function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}
