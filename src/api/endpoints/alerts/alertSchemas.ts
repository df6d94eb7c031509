import { Type } from 'typebox';
import { keysOf } from '../../../lib/keysOf.ts';
import { alertGroups, alertKinds, finalities, retractionReasons } from '../../../model/alert.ts';
import { interceptorTypes, severities, triggerTypes } from '../../../model/enumerations.ts';
import {
  Flag,
  Id,
  JsonObject,
  Millis,
  nullable,
  OneChain,
  OneOf,
  Shape,
  Text,
  Words,
} from '../../../model/schema.ts';

const text = (description: string, example: string) => Text(description, example, { max: 100_000 });

const members = {
  uid: text('Unique identifier of the alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
  kind: OneOf(alertKinds, 'Kind of its source.', 'detector'),
  group: OneOf(alertGroups, 'Its group in histograms.', 'SECURITY'),
  timestamp: Millis('When it happened.'),
  eid: text('Identifier of the event behind it.', '0x5c50…#3'),
  txHash: nullable(
    text('The transaction.', '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'),
  ),
  chainUid: nullable(OneChain('The chain.')),
  blockNumber: nullable(Type.Integer({ description: 'The block.', minimum: 0, examples: [46147] })),
  blockHash: nullable(
    text('Hash of the block.', '0x4e3a3754410177e6937ef1f84bba68ea139e8d1a2258c5f85db9f1cd715a1bdd'),
  ),
  tenantId: Id('The tenant.'),
  projectId: Id('The project.'),
  contractId: Id('The contract.'),
  incidentUid: nullable(text('The incident that it belongs to.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071')),
  detectorId: nullable(Id('The detector that raised it.')),
  detectorSchemaName: nullable(text('Kind of the detector that raised it.', 'ownership_change')),
  triggerId: nullable(Id('The trigger that raised it.')),
  actionId: nullable(Id('The action behind it.')),
  walletId: nullable(Id('The wallet that signed.')),
  assigneeId: nullable(Id('The user who works on it.')),
  acknowledged: Flag('Whether someone has acknowledged it, and no snooze has ended since.'),
  acknowledgedAt: nullable(Millis('When that was.')),
  acknowledgedBy: nullable(text('Who did it, by name.', 'Alice')),
  acknowledgedById: nullable(Id('The user who did it; null for an API key or a mailed link.')),
  acknowledgedUntil: nullable(Millis('Until when it is snoozed; null where it is not.')),
  walletName: nullable(text('Name of the wallet.', 'Guardian')),
  walletChainUid: nullable(text('Chain of the wallet.', 'ethereum')),
  walletAddress: nullable(text('Address of the wallet.', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')),
  interceptorType: nullable(OneOf(interceptorTypes, 'What fed the trigger.', 'TRANSACTION')),
  triggerType: nullable(OneOf(Object.keys(triggerTypes), 'What the trigger looks for.', 'FUNCTION_CALL')),
  severity: OneOf(severities, 'How bad it is.', 'HIGH'),
  numericSeverity: Type.Integer({
    description: 'INFO 10, LOW 30, MEDIUM 50, HIGH 70, CRITICAL 90.',
    minimum: 0,
    maximum: 100,
    examples: [70],
  }),
  name: text('Name of the alert.', 'Ownership changed'),
  message: text('What happened, for people.', 'The owner is now 0xf39F…2266.'),
  meta: JsonObject('What the finding carries.', { previousOwner: '0x01' }),
  status: OneOf(
    ['UNRESOLVED', 'RESOLVED', 'RETRACTED'],
    'Whether someone has dealt with it, or its block is gone.',
    'UNRESOLVED',
  ),
  finality: OneOf(
    finalities,
    'How settled its block is; PENDING while no block has its transaction.',
    'FINAL',
  ),
  tags: Words('Free labels.', ['reviewed']),
  suppressed: Flag('Over the rate limit of the plan: no one was notified.'),
  backfilled: Flag('Pushed more than an hour after it happened: no one was notified.'),
  retractedAt: nullable(Millis('When its block, or its pending transaction, was found to be gone.')),
  retractionReason: nullable(
    OneOf(
      retractionReasons,
      'Why it was retracted: its block is gone, or its pending transaction was replaced, dropped, or did not do it when it was mined.',
      'REPLACED',
    ),
  ),
};

type MemberName = keyof typeof members;

function shape(names: readonly MemberName[]) {
  const shown = Object.fromEntries(names.map((name) => [name, members[name]]));
  return { names, members: shown, schema: Shape(shown, names) };
}

/** The action alert of docs/api-spec.md. */
export const actionAlert = shape([
  'numericSeverity',
  'severity',
  'eid',
  'walletId',
  'message',
  'uid',
  'meta',
  'tenantId',
  'contractId',
  'name',
  'actionId',
  'txHash',
  'projectId',
  'timestamp',
  'walletName',
  'walletChainUid',
  'walletAddress',
]);

/** The trigger alert of docs/api-spec.md. */
export const triggerAlert = shape([
  'uid',
  'timestamp',
  'eid',
  'txHash',
  'meta',
  'tenantId',
  'projectId',
  'contractId',
  'triggerId',
  'interceptorType',
  'triggerType',
  'numericSeverity',
  'severity',
  'name',
  'message',
]);

/** Everything of an alert. */
export const wholeAlert = shape(keysOf(members));
