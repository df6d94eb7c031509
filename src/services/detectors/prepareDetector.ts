import type { TSchema } from 'typebox';
import { configSchema } from '../../detectors/configSchema.ts';
import { detectors } from '../../detectors/detectors.ts';
import { expressionParameters } from '../../detectors/expressionParameters.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { webhookFault } from '../../lib/egress.ts';
import { membersOf } from '../../lib/isRecord.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { nearest } from '../../lib/nearest.ts';
import { templateMembers } from '../../model/alert.ts';
import { automaticDetectors } from '../../model/enumerations.ts';
import { atMember, type Fault, invalid, unprocessable } from '../../model/errors.ts';
import { hasEvmDialect } from '../../model/family.ts';
import { membersWith } from '../../model/schema.ts';
import { invalidInput, withDefaults } from '../../model/validate.ts';
import { findActionFunctions } from '../../store/actions/intentLog.ts';
import { findSchemaId, findSchemaName, listSchemaNames } from '../../store/detectors/detectorSchemas.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import { aggregateField } from '../../store/search/aggregate/aggregateField.ts';
import { createAlertMatcher } from '../../store/search/createAlertMatcher.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import { detectorSchemaTable } from '../../store/tables/detectorSchemaTable.ts';
import type { detectorTable } from '../../store/tables/detectorTable.ts';
import { changedBindings } from '../actions/changedBindings.ts';
import { checkSourceScripts } from '../actions/checkBindingScripts.ts';
import { findMissingParameters, throwFaults } from '../actions/missingParameters.ts';
import type { Call } from '../call.ts';
import { findAbi } from '../contracts/findAbi.ts';
import { findInterfaces } from '../contracts/findInterfaces.ts';
import { checkBindingFilters, checkNames } from '../destinations/checkBindingFilters.ts';
import { checkPlanLimit } from '../records/checkPlanLimit.ts';
import type { ChangeOf } from '../records/recordKind.ts';
import { bindingScripts, scriptFaults } from '../records/scriptFaults.ts';
import { templateFaults } from '../records/templateFaults.ts';
import { checkAddresses } from './checkAddresses.ts';
import { checkFamily } from './checkFamily.ts';
import { expressionFaults } from './expressionFaults.ts';
import { sealConfig } from './sealConfig.ts';

type DetectorChange = ChangeOf<typeof detectorTable>;
type Actions = NonNullable<DetectorChange['input']['actions']>;

/** The configuration must be one that the detector can run with; findings from outside need none. */
export async function prepareDetector(call: Call, change: DetectorChange): Promise<Row> {
  await resolveSchemaName(call, change);
  const { id, input, current, tenantId } = change;
  await checkBindingFilters(call, tenantId, 'detector_destination', input.destinations, '/destinations');
  const unreadable = await scriptFaults(call, bindingScripts(input.actions, '/actions'));
  if (unreadable.length > 0) throw invalidInput(unreadable);
  if (tenantId !== null) await checkActions(call, tenantId, input.actions, current?.actions);
  if (input.actions) await checkScripts(call, change);
  const isTouched = input.schemaId != null || input.source != null || input.config !== undefined;
  if (!isTouched) return input;
  const schemaId = input.schemaId ?? current?.schema.id;
  if (schemaId === undefined) throw invalid('/schemaId', 'required', 'is required, or `schemaName` instead.');
  const record = await findRecord(call.db, detectorSchemaTable, call.visible, schemaId, schemaMembers);
  const schema = record && schemaOf(record);
  if (!schema) return input;
  const seal = async (): Promise<Row> => {
    if (input.config == null || tenantId === null) return input;
    const isSame = schemaId === current?.schema.id;
    const sealing = { tenantId, detectorId: isSame ? id : undefined, before: current?.config ?? {} };
    return { ...input, ...(await sealConfig(call, schema, input.config, sealing)) };
  };
  if ((input.source ?? current?.source) === 'EXTERNAL') return seal();
  const kind = detectors.get(record.name);
  const contractId = input.contractId ?? current?.contractId;
  const chain =
    kind && contractId !== undefined && tenantId !== null
      ? await checkFamily(
          call,
          { tenantId, contractId },
          { name: record.name, kind, kinds: detectors, pointer: '/schemaId' },
        )
      : undefined;
  const checked = check(schema, input.config ?? current?.config ?? {});
  if ('faults' in checked) throw invalidInput(checked.faults);
  const config = membersOf(checked.value);
  let parameters: string[] | undefined;
  if (chain) checkAddresses(schema, config, chain, '/config');
  if (chain && kind && contractId !== undefined && tenantId !== null) {
    const abi = await findAbi(call.db, tenantId, contractId, chain.family);
    if (kind.check) {
      const rest = await findInterfaces(call, chain, kind.targets?.(config) ?? []);
      const schema = kind
        .check(config, abi, chain.family, rest)
        .map((fault) => ({ ...fault, pointer: `/config${fault.pointer}` }));
      if (schema.length > 0) throw invalidInput(schema);
    }
    const { signature } = config;
    if (kinds.has(record.name) && hasEvmDialect(chain.family))
      parameters = expressionParameters(record.name, signature, abi);
    const mistaken = expressionFaults(record.name, config, abi, chain);
    if (mistaken.length > 0) throw invalidInput(mistaken);
  }
  const faults = [
    ...(tenantId === null ? [] : targetFaults(call, schema, config, tenantId)),
    ...(await scriptFaults(call, configScripts(schema, config))),
    ...alertFaults(call, schema, config, current?.config),
    ...messageFaults(record.name, config, parameters),
  ];
  if (faults.length > 0) throw invalidInput(faults);
  return seal();
}

/** A name stands for the newest schema of that name; the rest of the change sees only its id. */
async function resolveSchemaName(call: Call, { input }: DetectorChange): Promise<void> {
  const { schemaName } = input;
  if (schemaName == null) return;
  delete input.schemaName;
  if (input.schemaId != null) {
    if ((await findSchemaName(call.db, input.schemaId)) === schemaName) return;
    throw invalid(
      '/schemaName',
      'contradiction',
      'names another schema than `schemaId`; give one of the two.',
    );
  }
  const id = await findSchemaId(call.db, schemaName);
  if (id === undefined) {
    const schemaNames = await listSchemaNames(call.db);
    const guess = nearest(schemaName, schemaNames);
    const hint = guess ? `did you mean ${guess}? There are` : 'there are';
    throw unprocessable(
      '/schemaName',
      'unknown-reference',
      `There is no such detector schema; ${hint} ${schemaNames.join(', ')}.`,
    );
  }
  input.schemaId = id;
}

/** An action that is bound here must be able to fire from here. */
async function checkActions(
  call: Call,
  tenantId: number,
  items: Actions | undefined,
  current: Actions | undefined,
): Promise<void> {
  if (!items || items.length === 0) return;
  const stored = new Map(current?.map((item) => [item.id, item.actionId]));
  const ids = items.flatMap((item) => item.actionId ?? stored.get(item.id) ?? []);
  const actions = await findActionFunctions(call.db, tenantId, ids);
  throwFaults(findMissingParameters(({ actionId }) => actions.get(actionId ?? 0), items, current, 'actions'));
}

/** Scripts must fit the alerts of this kind of detector. */
async function checkScripts(call: Call, change: DetectorChange): Promise<void> {
  const { id, input, current, tenantId } = change;
  const changed = changedBindings(input.actions, current?.actions, '/actions');
  if (tenantId === null || changed.length === 0) return;
  const { schemaId } = input;
  const type =
    schemaId == null
      ? current?.schema.name
      : (await findRecord(call.db, detectorSchemaTable, call.visible, schemaId, schemaMembers))?.name;
  const isExternal = (input.source ?? current?.source) === 'EXTERNAL';
  await checkSourceScripts(
    call,
    tenantId,
    { kind: 'detector', id, ...(type ? { type } : {}), isExternal },
    changed,
  );
}

/** The detector that comes with a contract does not count; changed to a different one it does. */
export async function finishDetector(
  call: Call,
  { input, current, tenantId }: DetectorChange,
): Promise<void> {
  if (tenantId === null || input.schemaId == null || !automaticDetectors.includes(current?.schema.name ?? ''))
    return;
  await checkPlanLimit(call, tenantId, 'maxDetectors', 0);
}

function configScripts(schema: TSchema, config: Row) {
  const names = membersWith(schema, 'format', 'script');
  return names.map((name) => ({ pointer: `/config/${name}`, source: config[name] }));
}

/** As destinations are: the tenant learns it now, and not by an alert about a probe that was never sent. */
function targetFaults({ services }: Call, schema: TSchema, config: Row, tenantId: number): Fault[] {
  return membersWith(schema, 'format', 'webTarget').flatMap((name) => {
    const target = config[name];
    const fault = typeof target === 'string' ? webhookFault(target, tenantId, services.egress) : undefined;
    return fault === undefined ? [] : [{ pointer: `/config/${name}`, code: 'address', message: `${fault}.` }];
  });
}

/** Queries and members of alerts, as searches know them. */
function alertFaults(call: Call, schema: TSchema, config: Row, stored: unknown): Fault[] {
  for (const name of membersWith(schema, 'format', 'alertQuery')) {
    const query = config[name];
    if (typeof query !== 'string') continue;
    atMember(`/config/${name}`, name, () => createAlertMatcher(query, call.now));
    const before = membersOf(stored)[name];
    checkNames(call, query, `/config/${name}`, typeof before === 'string' ? [before] : []);
  }
  return membersWith(schema, 'format', 'alertMember').flatMap((name) => {
    const member = config[name];
    const message = typeof member === 'string' ? memberFault(member) : undefined;
    return message === undefined ? [] : [{ pointer: `/config/${name}`, code: 'unknown-field', message }];
  });
}

function memberFault(member: string): string | undefined {
  const field = aggregateField(alertTable, member);
  return 'code' in field && field.code !== 'text-field' ? field.message : undefined;
}

/** Kinds whose findings have arguments of a signature. */
const kinds: ReadonlySet<string> = new Set(['custom_event', 'custom_function']);

/** Findings of a detector that runs elsewhere are unknown here. */
function messageFaults(name: string, { desc }: Row, parameters?: readonly string[]): Fault[] {
  const definition = detectors.get(name);
  return definition && typeof desc === 'string'
    ? templateFaults(desc, [...definition.fields, ...templateMembers], '/config/desc', parameters)
    : [];
}

const schemaMembers = ['name', 'configSchema'] as const;

/** Vigil's own definition, else what the administrator wrote for a detector that runs elsewhere. */
function schemaOf(record: { name: string; configSchema: object | null }): TSchema | undefined {
  const definition = detectors.get(record.name);
  if (definition) return configSchema(definition);
  return record.configSchema ? cachedSchema(record.configSchema) : undefined;
}

/** A schema is compiled once per object, so the same text must yield the same object. */
const maxSchemas = 1000;
const schemas = createBoundedMap<string, TSchema>(maxSchemas);

function cachedSchema(schema: object): TSchema {
  const text = JSON.stringify({ ...schema, $id: undefined });
  const cached = schemas.get(text);
  if (cached) return cached;
  const parsed: TSchema = JSON.parse(text);
  schemas.set(text, parsed);
  return parsed;
}

function check(schema: TSchema, config: unknown): ReturnType<typeof withDefaults> {
  try {
    return withDefaults(schema, config, '/config');
  } catch (error) {
    throw unprocessable(
      '/schemaId',
      'unusable-schema',
      `The configuration schema of this detector schema cannot be used: ${messageOf(error)}.`,
    );
  }
}
