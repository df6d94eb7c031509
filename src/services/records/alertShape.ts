import { chainUids } from '../../chains/chains.ts';
import { detectors } from '../../detectors/detectors.ts';
import { partyEvidence } from '../../matching/nameParties.ts';
import { alertGroups, alertKinds, finalities, retractionReasons, severityOf } from '../../model/alert.ts';
import { interceptorTypes, severities, triggerTypes } from '../../model/enumerations.ts';
import { lateEvidence } from '../../model/traceState.ts';
import { anything, type RecordShape, toRecord, type ValueShape } from '../../scripts/valueShape.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import { triggers } from '../../triggers/triggers.ts';

/** An alert as scripts see it in `e`, which is as the API shows it. `evidence` are the members of its `meta`, if known. */
export function alertShape(evidence: readonly string[] | undefined): RecordShape {
  const meta = evidence ? toRecord(Object.fromEntries(evidence.map((name) => [name, anything]))) : anything;
  return toRecord({ ...alertMembers, meta });
}

/** Members of the `meta` of a detector's alerts; undefined for findings from outside. */
export function detectorEvidence(schemaName: string, isExternal: boolean): readonly string[] | undefined {
  const definition = isExternal ? undefined : detectors.get(schemaName);
  return definition && [...definition.fields, ...commonEvidence];
}

export function triggerEvidence(triggerType: string): readonly string[] | undefined {
  const definition = triggers.get(triggerType);
  return definition && [...definition.fields, 'triggerAlertId', ...commonEvidence];
}

/** Members that Vigil itself may add to the `meta` of any alert. */
const commonEvidence = ['fault', 'private', 'plannedChange', lateEvidence, ...partyEvidence];

const word = (words: readonly string[]): ValueShape => ({ type: 'text', words });
const storedTypes = {
  text: 'text',
  'text[]': 'list',
  number: 'number',
  boolean: 'flag',
  json: 'any',
} as const;

const alertMembers: Readonly<Record<string, ValueShape>> = {
  ...Object.fromEntries(
    Array.from(alertTable.columns, ([name, { store }]): [string, ValueShape] => [
      name,
      { type: storedTypes[store] },
    ]),
  ),
  kind: word(alertKinds),
  group: word(alertGroups),
  chainUid: word(chainUids),
  interceptorType: word(interceptorTypes),
  triggerType: word(Object.keys(triggerTypes)),
  severity: {
    type: 'text',
    words: severities,
    number: { member: 'numericSeverity', of: severityOf },
  },
  numericSeverity: { type: 'number', numbers: Object.values(severityOf) },
  status: word(['UNRESOLVED', 'RESOLVED', 'RETRACTED']),
  finality: word(finalities),
  retractionReason: word(retractionReasons),
  contract: toRecord({
    id: { type: 'number' },
    name: { type: 'text' },
    address: { type: 'text' },
    chainUid: word(chainUids),
  }),
  project: toRecord({ id: { type: 'number' }, name: { type: 'text' } }),
};

/** Members of an alert that change after it is raised, and records that belong to it. */
const changingMembers = [
  'status',
  'finality',
  'retractedAt',
  'retractionReason',
  'assigneeId',
  'contract',
  'project',
];

/** The same as the scripts of a license see it, or a tick of the clock. What of an alert may still change is left out. */
export const scoreEventShape: RecordShape = toRecord({
  ...Object.fromEntries(Object.entries(alertMembers).filter(([name]) => !changingMembers.includes(name))),
  meta: anything,
  type: { type: 'text', words: ['alert', 'tick'] },
  detectorSchemaName: { type: 'text' },
});
