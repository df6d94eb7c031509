import { Type } from 'typebox';
import { severities } from '../../../model/enumerations.ts';
import { Id, JsonObject, Millis, nullable, OneOf, Shape, Text, Words } from '../../../model/schema.ts';
import { findReadable } from '../../../services/records/findReadable.ts';
import { scoreTable } from '../../../store/scores/scoreTable.ts';
import { instanceScope } from '../../../store/search/documents/documentScopes.ts';
import { instanceTable } from '../../../store/tables/instanceTable.ts';
import { documentSearch } from '../records/documentSearch.ts';
import { scoreFamilyQ } from '../records/familyQ.ts';

const text = (description: string, example: string) => Text(description, example, { max: 100_000 });
const number = (description: string, example: number) => Type.Number({ description, examples: [example] });

/** docs/api-spec.md, Score changes. */
export const scoreChange = {
  uid: text('Unique identifier.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
  index: text('The partition it lives in.', 'score-2026.11'),
  timestamp: Millis('When the alert was raised, the clock ticked or the alert was retracted.'),
  i: Type.Integer({ description: 'Its number inside the instance.', minimum: 0, examples: [1] }),
  type: OneOf(
    ['alert', 'tick', 'retraction'],
    'What made the change: an alert, the clock, or that an alert was retracted.',
    'alert',
  ),
  organisationId: Id('The organisation.'),
  licenseId: Id('The license.'),
  licenseInstanceId: Id('The license instance.'),
  tenantId: Id('The tenant.'),
  projectId: Id('The project.'),
  contractId: nullable(Id('The contract.')),
  txHash: nullable(text('The transaction.', '0x5c504ed4')),
  detectorSchemaName: nullable(
    text('The schema of the detector; of a trigger its type.', 'ownership_change'),
  ),
  alertId: nullable(text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071')),
  monitorId: nullable(text('The detector, trigger or action.', '1')),
  alertName: nullable(text('Name of the alert.', 'Ownership changed')),
  alertMessage: nullable(text('Message of the alert.', 'The owner is now 0xf39F…2266.')),
  numericSeverity: nullable(
    Type.Integer({ description: 'Severity of the alert as a number.', minimum: 0, examples: [70] }),
  ),
  severity: nullable(OneOf(severities, 'Severity of the alert.', 'HIGH')),
  tags: Words('Free labels.', ['viewed']),
  meta: JsonObject('What the alert carries.', { previousOwner: '0x01' }),
  scoreGroup: nullable(text('The score group.', 'security')),
  score: number('The score after the change.', 93),
  scoreChange: number('The change, within the bounds of the license.', -7),
  key: nullable(text('Name of the output of the script; `change` if it names none.', 'penalty')),
  value: nullable(number('Value of that output; what the script asked for if it names none.', 7)),
};
export const scoreChangeNames = Object.keys(scoreChange);
export const scoreChangeSchema = Shape(scoreChange, scoreChangeNames);

export const scoreSearchEndpoint = documentSearch({
  path: '/instance/{id}/score/search',
  tag: 'Licenses and scores',
  summary: 'Search the score changes of a license instance',
  params: Shape({ id: Id('The license instance.') }, ['id']),
  body: scoreFamilyQ,
  table: scoreTable,
  shape: { names: scoreChangeNames, schema: scoreChangeSchema },
  problems: ['invalid-query', 'not-found'],
  scope: async (call, { id }) => instanceScope(await findReadable(call, instanceTable, id)),
});
