import type { Static } from 'typebox';
import { eventTopic, functionSelector, parseFunction, selectorOf } from '../codecs/evm/abi.ts';
import { functionsNamed } from '../codecs/evm/abiItems.ts';
import { functionNamed } from '../codecs/evm/functionNamed.ts';
import { upgradeTopics } from '../codecs/evm/upgradeEvents.ts';
import { logWords } from '../codecs/evm/words.ts';
import { tryCall } from '../evidence/evm/readCall.ts';
import { Addresses, Configuration, InnerCalls } from '../evidence/parameters.ts';
import type { Transaction } from '../model/block.ts';
import { defineDetector, type EvaluationContext, type EvaluationResult } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { observedCall } from '../model/frames.ts';

const config = Configuration({
  allowedCallers: Addresses('Who may initialise it, such as your deployer or timelock.'),
  innerCalls: InnerCalls(),
});
type Config = Static<typeof config>;
/** Those who called a function with success: what many do is not the set-up of a contract. */
type State = { readonly [selector: string]: readonly string[] };
type Context = EvaluationContext<Config, State>;

export const initializerCall = defineDetector<Config, State>({
  name: 'initializer_call',
  title: 'Initializer call',
  version: '1.0.0',
  category: 'SECURITY',
  families: evmDialect,
  recommendedFor: {
    CONTRACT: () => ({ reason: 'Who can set up a contract again that is in use can take it over.' }),
  },
  severity: 'AUTO',
  description:
    'An initialiser of a contract that is in use is called with success: who can set it up again can take it over. CRITICAL when it was initialised before, its owner changes by it, or it holds coins; HIGH otherwise.',
  faq: 'What is an initialiser? Functions of the usual names (initialize, init, initWallet, setup) by the contract’s ABI or with the usual parameters, and the event Initialized. What belongs to an upgrade in the same transaction is left to proxy_upgrade. A function that three different callers have called is taken for an ordinary one.',
  nextStep:
    'Ask your deployer whether it was meant. If not, the contract has another owner: pause what depends on it and move funds out of its reach.',
  config,
  pending: true,
  fields: ['sender', 'caller', 'function', 'initializedVersion', 'previousOwner', 'newOwner'],
  interests: ({ innerCalls }, { address, abi }) => [
    { on: 'call', address, keys: selectorsOf(abi), inner: innerCalls },
    { on: 'log', address, keys: [...initialized.keys()] },
  ],
  evaluate(observation, context) {
    const { contract, read } = context;
    if (observation.type === 'log') {
      const { transaction, log } = observation;
      const [first] = transaction.logs.filter((event) => isInitialized(event, contract.address));
      if (first?.index !== log.index) return {};
      const [version] = logWords(log);
      const isLast = version !== undefined && BigInt(version) >= initialized.get(log.key)!;
      return isLast ? {} : judge(context, transaction, transaction.from, 'Initialized', version);
    }
    const call = observedCall(observation);
    if (!call || !('transaction' in observation)) return {};
    const { transaction } = observation;
    // The event says as much.
    if (transaction.logs.some((event) => isInitialized(event, contract.address))) return {};
    if (!call.isInner && read.optional(() => read.receipt(call.hash))?.isSuccess === false) return {};
    return judge(context, transaction, call.from, call.key, undefined);
  },
});

/** The event, with the version by which a contract says that it can never be initialised again. */
const initialized = new Map([
  [eventTopic('Initialized(uint8)'), 255n],
  [eventTopic('Initialized(uint64)'), 2n ** 64n - 1n],
]);

function isInitialized({ address, key }: { address: string; key: string }, contract: string): boolean {
  return address === contract && initialized.has(key);
}

const names =
  /^(re)?initiali[sz]e(r|d)?(V\d+)?$|^init$|^init(Wallet|Multiowned|Daylimit|Owner|Admin)$|^setup$/i;

/** As the wallets and proxies declare it whose initialisers were called by thieves. */
const usualSelectors = [
  ...['initialize', 'init', 'setup'].flatMap((name) =>
    [
      '',
      'address',
      'address,address',
      'address,address,address',
      'address,uint256',
      'address,bytes',
      'bytes',
      'address[]',
      'address,string,string',
      'string,string',
    ].map((types) => `${name}(${types})`),
  ),
  'initWallet(address[],uint256,uint256)',
  'initMultiowned(address[],uint256)',
  'setup(address[],uint256,address,bytes,address,address,uint256,address)',
].map(functionSelector);

function selectorsOf(abi: readonly unknown[]): string[] {
  return [...new Set([...usualSelectors, ...functionsNamed(names, abi).map(selectorOf)])];
}

const ordinaryCallers = 3;
const owners = [parseFunction('owner()(address)'), parseFunction('admin()(address)')];

function judge(
  { config: { allowedCallers }, contract, read, state = {} }: Context,
  { from: sender, logs }: Transaction,
  caller: string,
  key: string,
  version: string | undefined,
): EvaluationResult<State> {
  if (allowedCallers.includes(caller) || allowedCallers.includes(sender)) return {};
  if (logs.some((log) => log.address === contract.address && upgradeTopics.includes(log.key))) return {};
  const callers = state[key] ?? [];
  if (callers.length >= ordinaryCallers) return {};
  const [code, balance, ...offices] = read.all([
    () => read.code(contract.address, 'parent'),
    () => read.optional(() => read.balance(contract.address, 'parent')),
    ...owners.flatMap((item) =>
      (['parent', 'block'] as const).map((moment) => () => {
        const answer = read.optional(() => tryCall(read, contract.address, item, [], moment));
        return answer && 'results' in answer ? String(answer.results[0]).toLowerCase() : undefined;
      }),
    ),
  ]);
  // It is created in this block.
  if (code === '0x') return {};
  const changes = [offices.slice(0, 2), offices.slice(2)].filter(
    ([before, after]) =>
      before !== undefined && after !== undefined && before !== after && !/^0x0*$/.test(before),
  );
  const [change] = changes;
  const isAgain = version !== undefined && BigInt(version) > 1n;
  const called = functionNamed(key, contract.abi)?.name ?? key;
  const how = key === 'Initialized' ? 'initialised' : `set up by ${called}`;
  const taken = change ? ` Its owner changed from ${change[0]} to ${change[1]}.` : '';
  return {
    state: { ...state, [key]: [...new Set([...callers, caller])] },
    detections: [
      {
        severity: change || isAgain || (balance ?? 0n) > 0n ? 'CRITICAL' : 'HIGH',
        message: `${contract.name}, which was there before, was ${how}: ${caller} called it in a transaction of ${sender}.${taken}`,
        fields: {
          sender,
          caller,
          function: key === 'Initialized' ? undefined : called,
          initializedVersion: version === undefined ? undefined : String(BigInt(version)),
          previousOwner: change?.[0],
          newOwner: change?.[1],
        },
      },
    ],
  };
}
