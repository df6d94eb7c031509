import type { TSchema } from 'typebox';
import { configSchema } from '../../detectors/configSchema.ts';
import { detectors } from '../../detectors/registry.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { templateMembers } from '../../model/alert.ts';
import { automaticDetectors } from '../../model/enumerations.ts';
import { type Fault, unprocessable } from '../../model/errors.ts';
import { invalidInput, withDefaults } from '../../model/validate.ts';
import { findActionFunctions } from '../../store/actions/intentLog.ts';
import { detectorSchemaTable } from '../../store/detectors/detectorSchemaTable.ts';
import { isItems } from '../../store/records/bindings.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import { findMissingParameters, throwFaults } from '../actions/missingParameters.ts';
import type { Call } from '../call.ts';
import { checkBindingFilters } from '../destinations/checkBindingFilters.ts';
import { templateFaults } from '../records/checkTemplate.ts';
import { checkPlanLimit } from '../records/planLimits.ts';
import type { Change } from '../records/recordKind.ts';
import { bindingScripts, scriptFaults } from '../records/scriptFaults.ts';
import { sealConfig } from './sealConfig.ts';

type DetectorChange = Omit<Change, 'input'> & {
  input: {
    schemaId?: number | null;
    source?: string | null;
    config?: object | null;
    destinations?: unknown;
    actions?: unknown;
  };
};

/** The configuration must be one that the detector can run with; findings from outside need none. */
export async function prepareDetector(
  call: Call,
  { id, input, current, tenantId }: DetectorChange,
): Promise<Row> {
  checkBindingFilters(input.destinations, '/destinations', call.now);
  const unreadable = await scriptFaults(call, bindingScripts(input.actions, '/actions'));
  if (unreadable.length > 0) throw invalidInput(unreadable);
  if (tenantId !== null) await checkActions(call, tenantId, input.actions, current?.actions);
  const isTouched = input.schemaId != null || input.source != null || input.config !== undefined;
  if (!isTouched) return input;
  const schemaId = input.schemaId ?? idOf(current?.schema);
  const record = await findRecord(call.db, detectorSchemaTable, call.visible, schemaId, schemaMembers);
  const schema = record && schemaOf(record);
  if (!schema) return input;
  const seal = async (): Promise<Row> => {
    if (input.config == null || tenantId === null) return input;
    const isSame = schemaId === idOf(current?.schema);
    const place = { tenantId, detectorId: isSame ? id : undefined, before: (current?.config ?? {}) as Row };
    return { ...input, ...(await sealConfig(call, schema, input.config as Row, place)) };
  };
  if ((input.source ?? current?.source) === 'EXTERNAL') return seal();
  const checked = check(schema, input.config ?? current?.config ?? {});
  if ('faults' in checked) throw invalidInput(checked.faults);
  const config = checked.value as Row;
  const faults = [
    ...(await scriptFaults(call, configScripts(schema, config))),
    ...messageFaults(String(record.name), config),
  ];
  if (faults.length > 0) throw invalidInput(faults);
  return seal();
}

/** An action that is bound here must be able to fire from here. */
async function checkActions(call: Call, tenantId: number, items: unknown, current: unknown): Promise<void> {
  if (!isItems(items) || items.length === 0) return;
  const stored = new Map(isItems(current) ? current.map((item) => [item.id, item.actionId]) : []);
  const ids = items.map((item) => Number(item.actionId ?? stored.get(item.id)));
  const actions = await findActionFunctions(call.db, tenantId, ids);
  throwFaults(
    findMissingParameters(({ actionId }) => actions.get(Number(actionId)), items, current, 'actions'),
  );
}

/** What comes with the contract is not counted; as another detector it is. */
export async function finishDetector(
  call: Call,
  { input, current, tenantId }: DetectorChange,
): Promise<void> {
  if (tenantId === null || input.schemaId == null || !automaticDetectors.includes(nameOf(current?.schema)))
    return;
  await checkPlanLimit(call, tenantId, 'maxDetectors', 0);
}

function configScripts(schema: TSchema, config: Row) {
  const { properties = {} } = schema as { properties?: Record<string, { format?: string }> };
  const names = Object.keys(properties).filter((name) => properties[name]!.format === 'script');
  return names.map((name) => ({ pointer: `/config/${name}`, source: config[name] }));
}

/** What a detector that runs elsewhere finds is not known here. */
function messageFaults(name: string, { desc }: Row): Fault[] {
  const definition = detectors.get(name);
  return definition && typeof desc === 'string'
    ? templateFaults(desc, [...definition.fields, ...templateMembers], '/config/desc')
    : [];
}

const schemaMembers = ['name', 'configSchema'] as const;

function idOf(schema: unknown): number {
  return typeof schema === 'object' && schema !== null && 'id' in schema ? Number(schema.id) : Number.NaN;
}

function nameOf(schema: unknown): string {
  return typeof schema === 'object' && schema !== null && 'name' in schema ? String(schema.name) : '';
}

/** Vigil's own definition, else what the administrator wrote for a detector that runs elsewhere. */
function schemaOf({ name, configSchema: written }: Row): TSchema | undefined {
  const definition = detectors.get(String(name));
  if (definition) return configSchema(definition);
  return typeof written === 'object' && written !== null ? remembered(written) : undefined;
}

/** A schema is compiled once for every object, so the same text must come as the same object. */
const written = new Map<string, TSchema>();
const mostWritten = 1000;

function remembered(schema: object): TSchema {
  const text = JSON.stringify({ ...schema, $id: undefined });
  let known = written.get(text);
  if (!known) {
    if (written.size >= mostWritten) written.clear();
    known = JSON.parse(text) as TSchema;
    written.set(text, known);
  }
  return known;
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
