import { functionSelector } from '../../codecs/evm/abi.ts';

/** Functions by which a contract is asked to do something, and those by which it turns to its caller before it returns. */
type Exchange = { readonly asked: readonly string[]; readonly answers: readonly string[] };

/** As the protocols publish them, and as they were taken over by others under their own names. */
const exchanges: readonly Exchange[] = [
  {
    asked: ['swap(uint256,uint256,address,bytes)'],
    answers: ['uniswapV2Call', 'pancakeCall', 'BiswapCall', 'joeCall', 'apeCall', 'hook', 'swapV2Call'].map(
      (name) => `${name}(address,uint256,uint256,bytes)`,
    ),
  },
  {
    asked: [
      'swap(address,bool,int256,uint160,bytes)',
      'swap(address,int256,bool,uint160,bytes)',
      'swapSupportingFeeOnInputTokens(address,address,bool,int256,uint160,bytes)',
    ],
    answers: [
      'uniswapV3SwapCallback',
      'pancakeV3SwapCallback',
      'algebraSwapCallback',
      'ramsesV2SwapCallback',
      'solidlyV3SwapCallback',
      'agniSwapCallback',
      'swapCallback',
    ].map((name) => `${name}(int256,int256,bytes)`),
  },
  {
    asked: [
      'mint(address,int24,int24,uint128,bytes)',
      'mint(address,address,int24,int24,uint128,bytes)',
      'flash(address,uint256,uint256,bytes)',
    ],
    answers: [
      'uniswapV3MintCallback',
      'pancakeV3MintCallback',
      'algebraMintCallback',
      'uniswapV3FlashCallback',
      'pancakeV3FlashCallback',
      'algebraFlashCallback',
    ].map((name) => `${name}(uint256,uint256,bytes)`),
  },
  {
    asked: ['swap(address,bool,int256,bytes)'],
    answers: ['smardexSwapCallback(int256,int256,bytes)'],
  },
  {
    asked: ['swap(address,uint256,bool,bool,uint256,bytes)'],
    answers: ['swapCallback(uint256,uint256,bytes)'],
  },
  {
    asked: ['swap(address,(uint256,bool,bool,int32),bytes)'],
    answers: ['maverickV2SwapCallback(address,uint256,uint256,bytes)'],
  },
  {
    asked: ['swapX2Y(address,uint128,int24,bytes)', 'swapX2YDesireY(address,uint128,int24,bytes)'],
    answers: ['swapX2YCallback(uint256,uint256,bytes)'],
  },
  {
    asked: ['swapY2X(address,uint128,int24,bytes)', 'swapY2XDesireX(address,uint128,int24,bytes)'],
    answers: ['swapY2XCallback(uint256,uint256,bytes)'],
  },
  { asked: ['unlock(bytes)'], answers: ['unlockCallback(bytes)'] },
  { asked: ['lock(bytes)'], answers: ['lockAcquired(bytes)', 'lockAcquired(uint256,bytes)'] },
  {
    asked: [
      'flashLoan(address,address[],uint256[],uint256[],address,bytes,uint16)',
      'flashLoanSimple(address,address,uint256,bytes,uint16)',
      'flashLoan(address,address,uint256,bytes)',
    ],
    answers: [
      'executeOperation(address[],uint256[],uint256[],address,bytes)',
      'executeOperation(address,address,uint256,uint256,address,bytes)',
      'executeOperation(address,uint256,uint256,uint256,address,bytes)',
      'executeOperation(address,uint256,uint256,address,bytes)',
      'executeOperation(address,uint256,uint256,bytes)',
      'onFlashLoan(address,address,uint256,uint256,bytes)',
    ],
  },
  {
    asked: ['flashLoan(address,address,address,uint256,bytes)'],
    answers: ['onFlashLoan(address,address,uint256,uint256,bytes)'],
  },
  {
    asked: ['flashLoan(address,address[],uint256[],bytes)'],
    answers: ['receiveFlashLoan(address[],uint256[],uint256[],bytes)'],
  },
  {
    asked: ['flashLoan(uint256,uint256,address,bytes)'],
    answers: ['DVMFlashLoanCall', 'DPPFlashLoanCall', 'DSPFlashLoanCall'].map(
      (name) => `${name}(address,uint256,uint256,bytes)`,
    ),
  },
  { asked: ['flashLoan(address,uint256,bytes)'], answers: ['onMorphoFlashLoan(uint256,bytes)'] },
  ...[
    ['supply', 'uint256,uint256,address', 'onMorphoSupply'],
    ['supplyCollateral', 'uint256,address', 'onMorphoSupplyCollateral'],
    ['repay', 'uint256,uint256,address', 'onMorphoRepay'],
  ].map(([name, parameters, answer]) => ({
    asked: [`${name}((address,address,address,address,uint256),${parameters},bytes)`],
    answers: [`${answer}(uint256,bytes)`],
  })),
];

/** Functions by which tokens notify senders and receivers. */
const receipts = [
  'onERC721Received(address,address,uint256,bytes)',
  'onERC1155Received(address,address,uint256,uint256,bytes)',
  'onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)',
  'tokensReceived(address,address,address,uint256,bytes,bytes)',
  'tokensToSend(address,address,address,uint256,bytes,bytes)',
  'onTransferReceived(address,address,uint256,bytes)',
  'onApprovalReceived(address,uint256,bytes)',
  'onTokenTransfer(address,uint256,bytes)',
  'tokenFallback(address,uint256,bytes)',
].map(functionSelector);

const answersTo: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  exchanges.flatMap(({ asked, answers }) =>
    asked.map((signature) => [functionSelector(signature), new Set(answers.map(functionSelector))] as const),
  ),
);

const lending: ReadonlySet<string> = new Set([...answersTo.values()].flatMap((answers) => [...answers]));
const known: ReadonlySet<string> = new Set([...lending, ...receipts]);

/** True for the function by which a contract that was asked to do `asked` turns to its caller. */
export function isAnswerTo(asked: string, answer: string): boolean {
  return answersTo.get(asked)?.has(answer) === true;
}

/** True for a function by which protocols hand their caller the turn, such as that of a flash loan. */
export function handsOver(selector: string): boolean {
  return lending.has(selector);
}

/** The same, or one by which a token tells that it came or goes. */
export function isCallback(selector: string): boolean {
  return known.has(selector);
}
