import { Type } from 'typebox';
import { fireAts, intentStates } from '../../../model/action.ts';
import { severities } from '../../../model/enumerations.ts';
import {
  Count,
  Flag,
  Id,
  JsonObject,
  List,
  Millis,
  nullable,
  OneOf,
  Shape,
  Text,
} from '../../../model/schema.ts';
import { haltTenant, readHalt, resumeTenant } from '../../../services/actions/haltActions.ts';
import { readIntents } from '../../../services/actions/readIntents.ts';
import { rehearseAction } from '../../../services/actions/rehearseAction.ts';
import { runAction } from '../../../services/actions/runAction.ts';
import { simulateAction } from '../../../services/actions/simulateAction.ts';
import { findReadable } from '../../../services/records/findReadable.ts';
import { findActionSetup } from '../../../store/actions/intentLog.ts';
import { actionTable } from '../../../store/tables/actionTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { pageQuery } from '../../http/pageQuery.ts';

const tag = 'Actions';
const byId = Shape({ id: Id('The action.') }, ['id']);
const given = JsonObject('Values by the name of their parameter; they go before those of the action.', {
  to: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
});
const amount = (description: string) =>
  Text(`${description} In the smallest unit of the currency.`, '21000000000000');
const parameter = {
  name: Text('Its name.', 'to'),
  type: Text('Its type.', 'address'),
  value: Text('Its value; lists and structs as JSON.', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', {
    max: 1_000_000,
  }),
};
const parameters = List(Shape(parameter, Object.keys(parameter)), 'The parameters of the call, filled.');
const address = Text('The address.', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
const hash = Text('The transaction.', '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060');
const transaction = {
  hash,
  maxFeePerGas: amount('What a unit of gas may cost.'),
  maxPriorityFeePerGas: nullable(amount('The tip within it; null on chains that know a gas price only.')),
  isVoid: Flag('It calls nothing and only takes the place of a call that was given up.'),
  createdAt: Millis('When it was signed.'),
  broadcastAt: nullable(Millis('When a node last took it.')),
};
const call = {
  to: address,
  data: Text('The call data.', '0x8456cb59', { max: 1_000_000 }),
  parameters,
  gasLimit: Text('Gas that it may use.', '50000'),
};
export const intent = {
  uid: Text('The intent.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e'),
  actionId: Id('The action.'),
  state: OneOf(intentStates, 'How far it is.', 'CONFIRMED'),
  reason: nullable(
    Text(
      'Why it failed, was skipped or cancelled, or what it waits for; null only when it is confirmed.',
      'The call would fail.',
    ),
  ),
  binding: Text(
    'What fired it: `detector` or `trigger` with the id of the binding, or `manual`; `filler` calls nothing and uses up a number of the wallet that was missing.',
    'detector 7',
  ),
  alertUid: nullable(Text('The alert that fired it.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071')),
  blockNumber: nullable(Count('The block of the alert.', 21_000_042, Number.MAX_SAFE_INTEGER)),
  fireAt: OneOf(fireAts, 'When its alert may fire it.', 'confirmed'),
  createdAt: Millis('When it came into being.'),
  updatedAt: Millis('When it last changed.'),
  walletId: Id('The wallet that signs.'),
  walletAddress: nullable(address),
  call: nullable(Shape(call, Object.keys(call), 'What is called, once it is signed.')),
  nonce: nullable(Count('The number of the transaction in its account.', 7, Number.MAX_SAFE_INTEGER)),
  txHash: nullable(hash),
  minedBlock: nullable(Count('The block that holds it.', 21_000_060, Number.MAX_SAFE_INTEGER)),
  cost: amount('What gas may cost while it is under way, and did cost once it is over.'),
  transactions: List(
    Shape(transaction, Object.keys(transaction)),
    'Everything that was signed for it. All have the same number, so that the chain takes at most one.',
  ),
};
const intentReply = Shape(intent, Object.keys(intent));
const halt = {
  tenantId: Id('The tenant.'),
  halted: Flag('True if actions are halted.'),
  haltedAt: nullable(Millis('Since when.')),
  canceled: Count('How many waiting intents were cancelled by this request.', 0),
};
const haltReply = Shape(halt, Object.keys(halt));
const tenant = { tenantId: Id('The tenant; yours if left out.') };
const switched = {
  ...tenant,
  reason: Text('Why, for the audit log.', 'An attack on the vault.', { min: 1, max: 500 }),
};
const simulation = {
  fires: Flag('True if the filter lets it pass and the parameters could be filled.'),
  success: Flag('True if the call would succeed and the wallet could pay for it.'),
  reason: nullable(
    Text('The reason if not; the contract’s own where it gives one.', 'The call would fail: paused.'),
  ),
  from: address,
  to: address,
  data: nullable(call.data),
  parameters,
  gasLimit: nullable(call.gasLimit),
  maxFeePerGas: nullable(transaction.maxFeePerGas),
  maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
  maxCost: nullable(amount('What gas may cost at most.')),
  balance: nullable(amount('What the wallet has.')),
};
const word = '0x0000000000000000000000000000000000000000000000000000000000000001';
const rehearsed = {
  alert: nullable(
    Shape(
      {
        uid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
        timestamp: Millis('When it happened.'),
        name: Text('Name of the detector or trigger.', 'Drain'),
        message: Text('What it says.', 'Vault lost 90 % of what it held.', { max: 100_000 }),
        severity: OneOf(severities, 'How severe it is.', 'CRITICAL'),
      },
      ['uid', 'timestamp', 'name', 'message', 'severity'],
      'The alert that it was rehearsed with; null without one.',
    ),
  ),
  binding: intent.binding,
  ...simulation,
  changes: nullable(
    List(
      Shape(
        {
          address: Text('Whose it is.', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'),
          asset: Text('`native`, or the address of a token.', 'native'),
          tokenId: nullable(Text('Of a token with several kinds or pieces.', '7')),
          amount: Text('More, or less with a minus; in the smallest unit.', '-1000000000000000000'),
        },
        ['address', 'asset', 'tokenId', 'amount'],
      ),
      'What coins and tokens would move, fees aside; the first 200. Null where the node does not show it, or the call fails.',
    ),
  ),
  storage: nullable(
    List(
      Shape(
        {
          address: Text('The contract.', '0x5fbdb2315678afecb367f032d93f642f64180aa3'),
          slot: Text('The slot.', word),
          before: Text('Its word now.', word.replace('1', '0')),
          after: Text('Its word after the call.', word),
        },
        ['address', 'slot', 'before', 'after'],
      ),
      'What contracts would have stored otherwise, nonces and balances aside; the first 200. Null as `changes`.',
    ),
  ),
};
const rehearsal = {
  block: nullable(
    Shape(
      {
        number: Count('Its number.', 21_000_042, Number.MAX_SAFE_INTEGER),
        hash: Text('Its hash.', '0x4e5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b220'),
        timestamp: Millis('Its time.'),
      },
      ['number', 'hash', 'timestamp'],
      'The newest block, after which the changes were tried; null where the node shows none.',
    ),
  ),
  alerts: Count('Alerts that were looked at, newest first.', 12),
  skipped: Count('Those among them that the filters let not pass.', 7),
  data: List(
    Shape(rehearsed, Object.keys(rehearsed)),
    'What the action would do, for the newest alert first.',
  ),
};

/** Endpoints of actions beside those of the resource. */
export const actionEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/action/{id}/simulate',
    tag,
    summary: 'See what an action would do',
    description:
      'Fills the parameters and lets a node try the call against the newest block. With an alert the filter and the scripts of its binding are run on it. Nothing is signed or sent.',
    params: byId,
    body: Shape(
      {
        alertUid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }),
        params: given,
      },
      [],
    ),
    mayLackBody: true,
    reply: Shape(simulation, Object.keys(simulation)),
    effect: 'send',
    problems: ['not-found', 'unprocessable', 'conflict'],
    handle: async (call, { params, body }) => ({ body: await simulateAction(call, params.id, body) }),
  }),
  endpoint({
    method: 'POST',
    path: '/action/{id}/rehearse',
    tag,
    summary: 'See what an action would have done',
    description:
      'Takes the last alerts that would fire the action, fills the call for each as its binding says, and lets a node try it on a copy of the present state: whether it succeeds, what it costs, what moves and what is stored. Alerts on which scripts fail are there with the reason. Where no alert fires the action, its own parameters are tried, if these are complete, with `alert` null. Nothing is signed, sent or stored.',
    params: byId,
    body: Shape(
      {
        size: Type.Integer({
          description: 'Number of alerts; 5 if left out.',
          minimum: 1,
          maximum: 20,
          examples: [5],
        }),
      },
      [],
    ),
    mayLackBody: true,
    reply: Shape(rehearsal, Object.keys(rehearsal)),
    effect: 'send',
    problems: ['not-found', 'conflict'],
    handle: async (call, { params, body }) => ({
      body: await rehearseAction(call, params.id, body.size ?? 5),
    }),
  }),
  endpoint({
    method: 'POST',
    path: '/action/{id}/execute',
    tag,
    summary: 'Run an action by hand',
    description:
      'Answers with the intent at once; how it goes on is read at `/action/{id}/intent`. A call that would fail is not sent: its intent ends as FAILED with the reason. Send an Idempotency-Key, so that a repeated request cannot run it twice.',
    params: byId,
    body: Shape({ params: given }, []),
    mayLackBody: true,
    reply: intentReply,
    status: 201,
    effect: 'create',
    problems: ['not-found', 'unprocessable', 'conflict'],
    handle: async (call, { params, body }) => ({
      body: await runAction(call, params.id, body.params ?? {}),
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/action/{id}/intent',
    tag,
    summary: 'Read what an action did and is about to do',
    description: 'Newest first.',
    params: byId,
    query: pageQuery(intentStates, 'FAILED'),
    reply: Shape(
      {
        fireAt: OneOf(fireAts, 'When alerts fire the action.', 'confirmed'),
        data: List(intentReply, 'The intents.'),
      },
      ['fireAt', 'data'],
    ),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params, query }) => {
      const action = await findReadable(call, actionTable, params.id);
      const { from = 0, size = 10, state } = query;
      const { fireAt } = await findActionSetup(call.db, action);
      return { body: { fireAt, data: await readIntents(call, action, { from, size, state }) } };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/action/halt',
    tag,
    summary: 'Halt all actions',
    description:
      'The kill switch of a tenant: nothing is signed from now on, and what waits is cancelled. What was signed before may still be mined. Also open to a tenant that is disabled or whose subscription has expired.',
    body: Shape(switched, []),
    mayLackBody: true,
    reply: haltReply,
    effect: 'stop',
    problems: ['not-found'],
    handle: async (call, { body }) => ({ body: await haltTenant(call, body) }),
  }),
  endpoint({
    method: 'POST',
    path: '/action/resume',
    tag,
    summary: 'Let actions run again',
    description: 'What was cancelled stays cancelled.',
    body: Shape(switched, []),
    mayLackBody: true,
    reply: haltReply,
    effect: 'change',
    problems: ['not-found'],
    handle: async (call, { body }) => ({ body: await resumeTenant(call, body) }),
  }),
  endpoint({
    method: 'GET',
    path: '/action/halt',
    tag,
    summary: 'Read whether actions are halted',
    query: Type.Unsafe<{ tenantId?: number }>(Shape(tenant, [])),
    reply: haltReply,
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { query }) => ({ body: await readHalt(call, query.tenantId) }),
  }),
];
