import { Type } from 'typebox';
import { traceKinds } from '../../../chains/chainClient.ts';
import { type Chain, type ChainUid, chainUids, getChain, isSeedUid } from '../../../chains/chains.ts';
import { families } from '../../../chains/families.ts';
import { membersOf } from '../../../lib/isRecord.ts';
import {
  type PendingState,
  pendingKinds,
  pendingModes,
  pendingStates,
  simulationKinds,
} from '../../../model/pending.ts';
import {
  Count,
  Flag,
  Id,
  List,
  Millis,
  nullable,
  OneChain,
  OneOf,
  Shape,
  SomeOf,
  Text,
} from '../../../model/schema.ts';
import { traceModes, traceStates } from '../../../model/traceState.ts';
import { countNodeCalls } from '../../../services/contracts/countNodeCalls.ts';
import { judgeChain, watchStates } from '../../../services/contracts/judgeChain.ts';
import { type ChainState, findChainStates, listContractsByChain } from '../../../store/watch/chainStates.ts';
import { countFaultsByChain } from '../../../store/watch/faults.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const currency = {
  symbol: Text('Symbol.', 'ETH'),
  name: Text('Name.', 'Ether'),
  decimals: Count('Decimals.', 18),
};
const explorer = {
  address: Text('Link to an address; {} stands for it.', 'https://etherscan.io/address/{}'),
  transaction: nullable(Text('Link to a transaction; {} stands for it.', 'https://etherscan.io/tx/{}')),
  block: nullable(Text('Link to a block; {} stands for it.', 'https://etherscan.io/block/{}')),
};
const endpointHealth = {
  endpoint: Text('Address without path and query.', 'https://rpc.example.com'),
  state: OneOf(['ok', 'failing', 'wrong-chain', 'stale'], 'How it fares.', 'ok'),
  head: nullable(Count('Its newest block.', 21_000_000)),
  latencyMs: nullable(Count('How long it takes to answer, in milliseconds.', 40)),
  faults: Count('Faults in a row.', 0),
  lastFault: nullable(Text('What went wrong last.', 'it did not answer within 10000 ms')),
  lastFaultAt: nullable(Millis('When that was.')),
};
const givenUp = {
  blocks: Count('How many blocks.', 2),
  last: Count('The newest of them.', 20_999_000),
  reason: Text('Why.', 'The traces of a block are too large.'),
  at: Millis('When that was last.'),
};
const unwritten = {
  findings: Count('How many.', 12),
  since: Millis('Since when the oldest of them waits.'),
};
const traces = {
  mode: OneOf(traceModes, 'As set by VIGIL_CHAIN_<UID>_TRACES.', 'auto'),
  state: OneOf(
    traceStates,
    'Whether what contracts do within transactions is seen: late while blocks wait for their traces, unavailable when no node traces, idle when nothing that is watched needs traces.',
    'ok',
  ),
  kinds: SomeOf(traceKinds, 'By which calls nodes trace.', ['debug']),
  processed: nullable(Count('Newest block whose inner calls were evaluated.', 21_000_000)),
  waiting: Count('Blocks whose inner calls are yet to be evaluated.', 0),
  reason: nullable(Text('Why it is late or unavailable.', 'Nodes did not give the traces of blocks.')),
  givenUp: nullable(
    Shape(
      givenUp,
      Object.keys(givenUp),
      'Blocks whose inner calls stay unseen, as their traces were given up.',
    ),
  ),
};
const pending = {
  mode: OneOf(pendingModes, 'As set by VIGIL_CHAIN_<UID>_PENDING.', 'auto'),
  state: OneOf(
    pendingStates,
    'Whether pending transactions are seen: idle when no detector or action wants them, unavailable when no node announces or runs them.',
    'ok',
  ),
  kinds: SomeOf(pendingKinds, 'How nodes announce them.', ['bodies']),
  simulations: SomeOf(simulationKinds, 'How nodes run them.', ['trace']),
  seen: Count('Pending transactions since the process follows the chain.', 120_000),
  simulated: Count('Those that were simulated.', 340),
  dropped: Count('Those that were not looked at, because there were too many.', 0),
  droppedAt: nullable(Millis('When it last happened that there were too many; null if it never did.')),
  waiting: Count('Pending transactions with alerts.', 1),
  reason: nullable(Text('Why they are unavailable.', 'No node of the chain announces pending transactions.')),
};
/** Facts of a chain whether or not it is followed. */
export const chainFacts = {
  chainUid: OneChain('The chain.'),
  family: Text('Family of the chain.', 'evm'),
  name: Text('Name of the chain.', 'Ethereum'),
  network: OneOf(['MAINNET', 'TESTNET', 'DEVNET'], 'Kind of network.', 'MAINNET'),
  currency: Shape(currency, Object.keys(currency), 'Native currency.'),
  chainId: nullable(Type.Integer({ description: 'Chain id where there is one.', minimum: 1, examples: [1] })),
  blockTimeMs: Count('Usual time between blocks in milliseconds.', 12_000),
  explorer: nullable(Shape(explorer, Object.keys(explorer), 'Link patterns of a block explorer.')),
  isOwn: Flag('Whether an administrator added it, beside those that Vigil knows by itself.'),
};
const chain = {
  ...chainFacts,
  confirmations: Count('Blocks after which a block counts as confirmed.', 12),
  canFollow: Flag('Whether Vigil can follow it; of other chains it knows addresses and keys.'),
  canInspect: Flag('Whether `POST /contract/inspect` recognises contracts on it.'),
  configured: Flag('Whether an RPC endpoint is configured for it here.'),
  followed: Flag('Whether a process follows it at the moment.'),
  head: nullable(Count('Newest block that is known of.', 21_000_000)),
  processed: nullable(Count('Newest block that was processed.', 21_000_000)),
  lag: nullable(Count('Blocks between the two.', 0)),
  confirmed: nullable(Count('Newest block that counts as confirmed.', 20_999_988)),
  final: nullable(Count('Newest block that cannot be reorganised any more.', 20_999_936)),
  processedAt: nullable(Millis('Time of the newest block that was processed.')),
  watchState: OneOf(
    watchStates,
    'Whether you see what happens on it: halted when it makes no blocks, behind when Vigil has not processed them, blind when nodes do not give them or their logs, degraded when detectors of yours fail, idle when nothing is watched.',
    'ok',
  ),
  watchReason: nullable(Text('Why it is not ok.', 'No new block for 95 s; one comes every 12 s as a rule.')),
  traces: Shape(traces, Object.keys(traces), 'How what contracts do within transactions is seen.'),
  pending: Shape(pending, Object.keys(pending), 'How pending transactions are seen.'),
  failing: Count('Your detectors and triggers on it whose last evaluation failed.', 0),
  contracts: Count('Your active contracts on it.', 2),
  unwatched: List(
    Shape({ id: Id('The contract.'), name: Text('Its name.', 'Vault') }, ['id', 'name']),
    'Your contracts on it that are not watched, because no endpoint is configured; at most 1,000.',
  ),
  callsPerMinute: nullable(
    Type.Number({
      description:
        'Calls to its nodes in a minute, of all processes, over the last ten minutes; for administrators only.',
      minimum: 0,
      examples: [36.5],
    }),
  ),
  callsPerContract: nullable(
    Type.Number({
      description: 'The same for each contract that is watched on it; for administrators only.',
      minimum: 0,
      examples: [1.83],
    }),
  ),
  unwritten: nullable(
    Shape(
      unwritten,
      Object.keys(unwritten),
      'Findings that wait, because a server of a distributed database cannot be written to; for administrators only.',
    ),
  ),
  endpoints: List(
    Shape(endpointHealth, Object.keys(endpointHealth)),
    'State of its endpoints; for administrators only.',
  ),
};

/** Every chain that Vigil knows, and how far it has come with each. */
export function chainEndpoint(confirmations: (uid: ChainUid) => number): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/chain',
    tag: 'Chains',
    summary: 'List the chains',
    reply: Shape({ data: List(Shape(chain, Object.keys(chain)), 'Every chain.') }, ['data']),
    effect: 'read',
    handle: async (call) => {
      const { isConfigured } = call.services.chains;
      const states = await findChainStates(call.db);
      const contracts = await listContractsByChain(call.db, call.scope);
      const faults = await countFaultsByChain(call.db, call.scope);
      const calls = call.scope.all ? await countNodeCalls(call.db, call.now) : undefined;
      return {
        body: {
          data: chainUids.map((uid) => {
            const watched = contracts.get(uid) ?? { count: 0, first: [] };
            const failing = faults.get(uid) ?? 0;
            const facts = {
              now: call.now,
              isConfigured: isConfigured(uid),
              contracts: watched.count,
              failing,
            };
            return {
              ...describe(getChain(uid)),
              confirmations: confirmations(uid),
              configured: isConfigured(uid),
              ...toProgress(states.get(uid), call.scope.all, call.scope.all && isConfigured(uid)),
              traces: toTraces(states.get(uid)),
              pending: toPending(states.get(uid)),
              ...judgeChain({ ...facts, blockTimeMs: getChain(uid).blockTimeMs, state: states.get(uid) }),
              failing,
              contracts: watched.count,
              unwatched: isConfigured(uid) ? [] : watched.first,
              callsPerMinute: calls ? (calls.get(uid) ?? 0) : null,
              callsPerContract:
                calls && watched.count > 0 ? perContract(calls.get(uid) ?? 0, watched.count) : null,
            };
          }),
        },
      };
    },
  });
}

function describe({ uid, family, name, network, currency, chainId, blockTimeMs, explorer }: Chain) {
  const links = explorer && { transaction: null, block: null, ...explorer };
  const optional = { chainId: chainId ?? null, explorer: links ?? null, isOwn: !isSeedUid(uid) };
  const { nodes } = families[family];
  const can = { canFollow: nodes !== undefined, canInspect: nodes?.inspect !== undefined };
  return { chainUid: uid, family, name, network, currency, blockTimeMs, ...optional, ...can };
}

function toTraces(state: ChainState | undefined) {
  const traceState = state?.isFollowed ? state.traces : null;
  const { unseenBlocks = 0, unseenLast, unseenReason, unseenAt } = state ?? {};
  return {
    ...(traceState ?? { mode: 'auto', state: 'off', kinds: [], processed: null, waiting: 0, reason: null }),
    givenUp:
      unseenBlocks === 0
        ? null
        : { blocks: unseenBlocks, last: unseenLast, reason: unseenReason, at: unseenAt },
  };
}

function toPending(state: ChainState | undefined): PendingState {
  const pendingState = state?.isFollowed ? state.pending : null;
  const counts = { seen: 0, simulated: 0, dropped: 0, droppedAt: null, waiting: 0 };
  const none = { mode: 'auto' as const, state: 'off' as const, kinds: [], simulations: [], reason: null };
  // State written by an older process lacks the time.
  return { ...none, ...counts, ...pendingState };
}

function toUnwritten(state: ChainState | undefined) {
  const { unwritten: findings = 0, unwrittenSince: since = null } = state ?? {};
  return since === null ? null : { findings, since };
}

function toProgress(state: ChainState | undefined, isAdministrator: boolean, showsEndpoints: boolean) {
  const { head = null, processed = null } = state ?? {};
  return {
    followed: state?.isFollowed ?? false,
    head,
    processed,
    lag: head === null || processed === null ? null : Math.max(0, head - processed),
    confirmed: state?.confirmed ?? null,
    final: state?.final ?? null,
    processedAt: state?.processedAt ?? null,
    unwritten: toUnwritten(isAdministrator ? state : undefined),
    // State written by an older process lacks the time.
    endpoints: showsEndpoints
      ? (state?.endpoints ?? []).map((endpoint) => ({ lastFaultAt: null, ...membersOf(endpoint) }))
      : [],
  };
}

function perContract(calls: number, contracts: number): number {
  return Math.round((100 * calls) / contracts) / 100;
}
