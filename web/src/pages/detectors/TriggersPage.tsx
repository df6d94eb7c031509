import { useEffect, useState } from 'preact/hooks';
import type { ReplyOf, Trigger } from '../../../../sdk/src/index.ts';
import { alertNames, bindingsToForm, shapeBindings, withFilters } from '../../parts/bindings.ts';
import { formatWidgets, useSignatures } from '../../parts/formatWidgets.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { contractColumn, statusColumn, updatedColumn } from '../../parts/recordColumns.tsx';
import { Severity } from '../../parts/Severity.tsx';
import type { Widgets } from '../../parts/schemaTypes.ts';
import { client } from '../../state/api.ts';
import { toLabel } from '../../state/format.ts';
import { nameOf } from '../../state/names.ts';
import { href, search } from '../../state/route.ts';
import type { Schema } from '../../state/schemas.ts';
import { useLoad } from '../../state/useLoad.ts';
import { PageTabs } from '../PageTabs.tsx';

type TriggerKinds = ReplyOf<'POST', '/trigger/schema/search'>['data'];

/** Simple conditions on a contract, each with the alerts that it raises. */
export default function TriggersPage() {
  const kinds = useLoad('trigger kinds', (signal) =>
    client.post('/trigger/schema/search', { body: { size: 100 }, signal }),
  ).data?.data;
  // The page of a contract leads to a new trigger of it.
  const linked = Number(search.value.get('contract')) || undefined;
  const [contractId, setContractId] = useState(linked);
  const widgets = formatWidgets(useSignatures(contractId), alertNames);
  return (
    <div class="page">
      <PageTabs of="Detectors and triggers" />
      <RecordList kind={triggersWith(kinds ?? [], widgets, linked, setContractId)} heading="h1" />
    </div>
  );
}

function triggersWith(
  kinds: TriggerKinds,
  widgets: Widgets,
  contractId: number | undefined,
  setContractId: (id: number | undefined) => void,
): RecordKind<Trigger> {
  return {
    path: '/trigger',
    singular: 'trigger',
    plural: 'Triggers',
    about:
      'A trigger raises its alerts when a simple condition on a contract holds: a function is called, an event is emitted, a balance changes.',
    searched: ['name'],
    limit: 'maxTriggers',
    columns: [
      { name: 'name', title: 'Name', show: ({ name }) => name },
      {
        name: 'type',
        title: 'Looks for',
        wideOnly: true,
        show: ({ triggerType }) => toLabel(triggerType.toLowerCase()),
      },
      contractColumn,
      {
        name: 'alerts',
        title: 'Raises',
        width: '110px',
        show: ({ alerts }) => alerts.map(({ id, severity }) => <Severity key={id} value={severity} />),
      },
      statusColumn,
      updatedColumn,
    ],
    complete: async (trigger, signal) => ({
      ...trigger,
      alerts: await Promise.all(trigger.alerts.map((alert) => withFilters('trigger', alert, signal))),
    }),
    toForm: (trigger) => ({ ...trigger, alerts: trigger.alerts.map(bindingsToForm) }),
    form: {
      defaults: { alerts: [{ severity: 'MEDIUM' }], ...(contractId ? { contractId } : {}) },
      order: ['contractId', 'triggerType', 'params', 'name', 'alerts'],
      labels: { params: 'Parameters', triggerType: 'Looks for' },
      widgets,
      onChange: ({ contractId }) => setContractId(contractId as number | undefined),
      shape: (schema, { triggerType }) => shapeTrigger(schema, kinds, triggerType),
    },
    detail: (trigger) => <Detail trigger={trigger} setContractId={setContractId} />,
  };
}

function Detail({
  trigger: { id, contractId },
  setContractId,
}: {
  trigger: Trigger;
  setContractId(id: number): void;
}) {
  useEffect(() => setContractId(contractId), [contractId]);
  return (
    <p class="row">
      <a class="foreign" href={href(`/contracts/${contractId}`)}>
        {nameOf('contract', contractId) ?? `contract #${contractId}`}
      </a>
      <a href={href(`/alerts?q=${encodeURIComponent(`triggerId:${id}`)}`)}>Its alerts</a>
    </p>
  );
}

function shapeTrigger(schema: Schema, kinds: TriggerKinds, triggerType: unknown): Schema {
  const kind = kinds.find((each) => each.name === triggerType);
  const { params: _any, interceptorType: _follows, ...properties } = schema.properties ?? {};
  const paramsSchema = kind?.paramsSchema as Schema | undefined;
  const hasParams = Object.keys(paramsSchema?.properties ?? {}).length > 0;
  const items = properties.alerts?.items;
  const { id: _id, createdAt: _made, updatedAt: _changed, ...members } = items?.properties ?? {};
  return {
    ...schema,
    properties: {
      ...properties,
      triggerType: { ...properties.triggerType, description: kind?.description ?? 'What it looks for.' },
      ...(hasParams
        ? { params: { ...paramsSchema!, 'x-order': Object.keys(paramsSchema!.properties!) } }
        : {}),
      ...(items
        ? {
            alerts: {
              ...properties.alerts,
              items: {
                ...shapeBindings({ ...items, properties: members }),
                'x-order': ['severity', 'name', 'message'],
              },
            },
          }
        : {}),
    },
  };
}
