import { Type } from 'typebox';
import { finalities } from '../../../model/alert.ts';
import { severities } from '../../../model/enumerations.ts';
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
  Text,
  Words,
} from '../../../model/schema.ts';
import { flowSides } from '../../../services/alerts/story/drawFlows.ts';
import { progresses } from '../../../services/alerts/story/judgeProgress.ts';
import { readStory } from '../../../services/alerts/story/readStory.ts';
import { stepTypes } from '../../../services/alerts/story/toTimeline.ts';
import { readReport } from '../../../services/alerts/story/writeReport.ts';
import { incidentStatuses, incidentTable } from '../../../store/alerts/incidentTable.ts';
import { replySchema } from '../../../store/tables/fields.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { party } from './traceEndpoint.ts';

const pool = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const thief = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
const hash = `0x${'5c'.repeat(32)}`;

const whole = <T extends Parameters<typeof Shape>[0]>(members: T, description?: string) =>
  Shape(members, Object.keys(members), description);
const Fraction = (description: string, example: number, maximum: number) =>
  Type.Number({ description, minimum: 0, maximum, examples: [example] });
const Dollars = (description: string) =>
  nullable(Type.Number({ description, minimum: 0, examples: [500_000] }));

const assetMembers = {
  asset: Text('`native`, or the address of the token.', 'native'),
  symbol: nullable(Text('Its symbol, as the token reports it; null where it is not known.', 'DUSD')),
  amount: Text('Whole tokens.', '500000'),
};
const loss = {
  contractId: Id('The contract that lost it.'),
  ...assetMembers,
  before: nullable(Text('What it held before the first loss, where the evidence says so.', '500000')),
  after: nullable(Text('What it held after the last one.', '0')),
  percent: nullable(Fraction('The share that is gone, in per cent.', 100, 100)),
  isClaimed: Flag('True if nothing but the token itself says so.'),
  alertUid: Text('The alert that says most about it.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
};
const lossList = (description: string) =>
  whole(
    {
      text: Text('All of it in words; empty for nothing.', '500,000 DUSD, 100 % of what it held'),
      usd: Dollars('US dollars of all together, where prices are known.'),
      losses: List(whole(loss), 'The losses by contract and asset, the largest share first; at most 50.'),
    },
    description,
  );
const stop = {
  name: Text('The action, or the alert about the pause.', 'Pause the pool'),
  blockNumber: nullable(Count('Its block.', 58)),
  txHash: nullable(Text('Its transaction.', hash)),
  at: Millis('When.'),
};
const failure = {
  name: Text('The action.', 'Pause the pool'),
  reason: nullable(Text('Why it failed.', 'The call would fail: not owner.')),
};
const progress = {
  state: OneOf(
    progresses,
    'PENDING: no block has it yet. ONGOING: the last loss is less than five minutes old. STOPPED: an action or a pause came after the last loss. ' +
      'PREVENTED: it never took effect. QUIET: nothing more has happened. RESOLVED: someone has closed it. RETRACTED: its blocks left the chain.',
    'STOPPED',
  ),
  stoppedBy: nullable(whole(stop, 'What ended it; null where nothing did.')),
  failed: List(whole(failure), 'Actions that failed.'),
  lastAt: nullable(Millis('When the last loss happened; without a loss, the last severe alert.')),
};
const actor = {
  address: Text('The address.', thief),
  name: nullable(Text('Your name for it.', 'Known exploiter')),
  tags: Words('The tags of its labels.', ['EXPLOIT']),
};
const node = {
  ...actor,
  side: OneOf(flowSides, 'Yours, the attacker’s or anyone else’s.', 'ATTACKER'),
  contractId: nullable(Id('The contract, where it is one of yours.')),
  net: List(whole(assetMembers), 'What it has more or, below 0, less after all transactions of the picture.'),
};
const edge = {
  from: Text('Who gave.', pool),
  to: Text('Who got; `unknown` where no evidence says so.', thief),
  ...assetMembers,
  usd: Dollars('Its worth, where the evidence of the loss has a price.'),
  share: Fraction('How large it is beside the largest of the picture.', 1, 1),
  transactions: Count('How many transactions moved it.', 1),
  isReported: Flag('True if evidence says so and no node has shown the transaction.'),
};
const stepAlert = {
  uid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
  severity: OneOf(severities, 'Its severity.', 'CRITICAL'),
  status: OneOf(incidentStatuses, 'Its state.', 'UNRESOLVED'),
  name: Text('Its name.', 'TVL drop'),
  message: Text('Its message.', 'Lending pool lost 500,000 DUSD.'),
  timestamp: Millis('When it happened.'),
  contractId: Id('Its contract.'),
  finality: OneOf(finalities, 'How settled its block is.', 'FINAL'),
};
const step = {
  at: Millis('When.'),
  type: OneOf(
    stepTypes,
    'What kind of step it is: on the chain (FUNDING to ALERT), by Vigil, or by people.',
    'TRANSACTION',
  ),
  wave: Count('Which wave of the incident: a new one begins after a minute without a transaction.', 1),
  chainUid: nullable(OneChain('The chain.')),
  blockNumber: nullable(Count('Its block.', 57)),
  txHash: nullable(Text('Its transaction.', hash)),
  from: nullable(Text('Who acted, as an address.', thief)),
  to: nullable(Text('On what, as an address.', pool)),
  text: nullable(
    Text('The destination, action or person; of a funding, the tags of its source.', 'Pause the pool'),
  ),
  state: nullable(
    Text('State of the delivery or action, the verb of a change, or why it was retracted.', 'CONFIRMED'),
  ),
  reason: nullable(Text('Why it failed or waits, or what was written.', 'The pool is paused.')),
  count: Count('How many deliveries or alerts the step stands for.', 1),
  isLoss: Flag('True if something was lost in it.'),
  alert: nullable(whole(stepAlert, 'The strongest alert about it; null for what is no alert.')),
  folded: List(whole(stepAlert), 'Its other alerts, strongest first; at most 20.'),
  foldedMore: Count('Alerts beyond those.', 0),
};
const storyContract = {
  id: Id('The contract.'),
  name: Text('Its name.', 'Lending pool'),
  address: Text('Its address.', pool),
  chainUid: OneChain('Its chain.'),
  projectId: Id('Its project.'),
  alerts: Count('How many of the alerts are about it.', 3),
  losses: List(whole(loss), 'What it lost, or would have.'),
};
const transaction = {
  chainUid: nullable(OneChain('The chain.')),
  txHash: Text('The transaction.', hash),
  blockNumber: nullable(Count('Its block; null while it is pending.', 57)),
  at: Millis('When.'),
  alerts: Count('How many of the alerts are about it.', 3),
};
const prepared = {
  id: Id('The action.'),
  name: Text('Its name.', 'Pause the pool'),
  funcSignature: Text('The function that it calls.', 'pause()'),
  contractId: Id('The contract that it calls.'),
  walletId: Id('The wallet that signs.'),
};
const leftOut = {
  alerts: Count('Alerts beyond the worst 1,000, from which it is made.', 0),
  steps: Count('Steps beyond 200; those that matter most are there.', 0),
  flows: Count('Smaller moves.', 0),
  transactions: Count('Transactions of which no node was asked, or none answered.', 0),
};
const story = {
  incident: { ...replySchema(incidentTable.fields), description: 'The incident itself.' },
  uid: Text('The incident.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
  headline: Text(
    'What was lost, by whom, and whether it goes on, in one sentence.',
    'Lending pool lost 500,000 DUSD, 100 % of what it held, to Known exploiter; it was stopped by Pause the pool in block 58.',
  ),
  progress: whole(progress, 'Whether it goes on.'),
  lost: lossList(
    'What is gone, by the evidence of alerts that stand; several alerts about one loss count once.',
  ),
  prevented: lossList(
    'What transactions would take that no block has yet, or would have taken that did not take effect.',
  ),
  by: List(whole(actor), 'Who did it, most involved first; at most five.'),
  flows: whole(
    {
      nodes: List(whole(node), 'Who takes part.'),
      edges: List(whole(edge), 'Who gave what to whom: the largest moves, at most 24.'),
      leftOut: Count('Smaller moves.', 0),
    },
    'Where the money went: transactions as nodes show them, else the evidence of alerts.',
  ),
  timeline: List(whole(step), 'Everything that happened, in its order.'),
  contracts: List(whole(storyContract), 'The contracts of its alerts.'),
  transactions: List(whole(transaction), 'Its transactions, the worst first; at most 100.'),
  actions: List(whole(prepared), 'Active actions on these contracts, which can be executed.'),
  parties: List(party, 'What you know of the addresses.'),
  leftOut: whole(leftOut, 'What is not in it.'),
};

const params = Shape({ uid: Text('The incident.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }) }, [
  'uid',
]);

export const storyEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/incident/{uid}/story',
    tag: 'Incidents',
    summary: 'Read an incident as a story',
    description:
      'One sentence, losses, actors, a picture of where the money went and a timeline: made from its alerts and their evidence, the ' +
      'transactions as nodes show them, notifications, actions, and what people did. Without an answer of the nodes the picture shows ' +
      'what the evidence says.',
    params,
    reply: whole(story),
    effect: 'read',
    isReport: true,
    problems: ['not-found'],
    handle: async (call, { params: { uid } }) => ({ body: await readStory(call, uid) }),
  }),
  endpoint({
    method: 'GET',
    path: '/incident/{uid}/report',
    tag: 'Incidents',
    summary: 'Write a report of an incident',
    description: 'A Markdown document of the same facts, with the evidence of the 50 worst alerts.',
    params,
    reply: whole({
      name: Text('A name for the file.', 'incident-01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071.md'),
      markdown: Text('The document.', '# TVL drop\n', { max: 2_000_000 }),
    }),
    effect: 'read',
    isReport: true,
    problems: ['not-found'],
    handle: async (call, { params: { uid } }) => ({ body: await readReport(call, uid) }),
  }),
];
