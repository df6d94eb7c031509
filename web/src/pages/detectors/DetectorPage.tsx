import { useMemo, useState } from 'preact/hooks';
import type { Detector, DetectorSchema } from '../../../../sdk/src/index.ts';
import type { PageProps } from '../../pageProps.ts';
import { Badge } from '../../parts/Badge.tsx';
import { alertNames, bindingsToForm, shapeBindings, withFilters } from '../../parts/bindings.ts';
import { Confirm } from '../../parts/Dialog.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { formatWidgets, scriptOf, useSignatures } from '../../parts/formatWidgets.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { InlineMarkdown } from '../../parts/InlineMarkdown.tsx';
import { PlanNotice } from '../../parts/PlanNotice.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { type Fields, RecordForm } from '../../parts/RecordForm.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { showCount, showDuration } from '../../state/format.ts';
import { href, navigate, search } from '../../state/route.ts';
import type { Schema } from '../../state/schemas.ts';
import { can } from '../../state/session.ts';
import { attempt, toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { amountWidgets } from './amountWidget.tsx';
import { automaticReason, isAutomatic } from './automatic.ts';
import { Backtest, BacktestCount } from './Backtest.tsx';
import { Explain } from './Explain.tsx';
import { expressionNames } from './expressionNames.ts';
import { MessagePreview } from './MessagePreview.tsx';
import { isShadow, shadowTag } from './shadow.ts';
import { useBacktest } from './useBacktest.ts';
import { useSchemas } from './useSchemas.ts';
import './detectors.css';

/** One detector: its form with the backtest beside it, how it fares, and why it raised something or not. */
export default function DetectorPage({ params }: PageProps) {
  const id = params.id === undefined || params.id === 'new' ? undefined : Number(params.id);
  const {
    data: loaded,
    error,
    reload,
  } = useLoad(id === undefined ? null : `detector ${id}`, (signal) =>
    client
      .get('/detector/{id}', { path: { id: id! }, signal })
      .then((detector) => withFilters('detector', detector, signal)),
  );
  // One that was open before is not this one.
  const data = loaded?.id === id ? loaded : undefined;
  const schemas = useSchemas();
  const isMissing = error !== undefined && !data;
  return (
    <div class="page">
      <p>
        <a href={href('/detectors')}>Detectors</a>
      </p>
      {(isMissing || schemas.error !== undefined) && (
        <Problem error={error ?? schemas.error} retry={reload} />
      )}
      {!schemas.data || (id !== undefined && !data) ? (
        !isMissing && <Loading />
      ) : (
        <Editor key={id ?? 'new'} schemas={schemas.data} detector={data} reload={reload} />
      )}
    </div>
  );
}

type EditorProps = { schemas: DetectorSchema[]; detector: Detector | undefined; reload(): void };

function Editor({ schemas, detector, reload }: EditorProps) {
  const linked = (name: string) => Number(search.value.get(name)) || undefined;
  /** As the server has it, or what a new one begins with. */
  const [start] = useState(() => startOf(schemas, linked('schema'), linked('contract')));
  const stored = useMemo(
    () => detector && { ...bindingsToForm(detector), schemaId: detector.schema.id },
    [detector],
  );
  const [typed, setTyped] = useState<Fields>();
  const value: Fields = typed ?? stored ?? start;
  const [isDeleting, setDeleting] = useState(false);
  const schema = schemas.find(({ id }) => id === value.schemaId);
  const contractId = value.contractId as number | undefined;
  const contract = useLoad(contractId === undefined ? null : `contract ${contractId}`, (signal) =>
    client.get('/contract/{id}', { path: { id: contractId! }, signal }),
  ).data;
  const signatures = useSignatures(contractId);
  const backtest = useBacktest({
    contractId,
    schemaId: schema?.id,
    name: value.name as string | undefined,
    config: value.config as Record<string, unknown> | undefined,
    // That of the contract before, while the one just chosen is being read.
    chainUid: contract?.id === contractId ? contract?.chainUid : undefined,
    // A form that is only looked at asks for nothing; one that lacks what is required cannot be tried.
    isEdited: typed !== undefined || (!detector && hasRequired(schema, value.config)),
  });
  const mayWrite = can(detector ? 'PUT /detector/{id}' : 'POST /detector');
  const toggleShadow = async () => {
    if (!detector) return;
    const { id, tags } = detector;
    const next = isShadow(tags) ? tags.filter((tag) => tag !== shadowTag) : [...tags, shadowTag];
    const said = isShadow(tags) ? 'Its alerts notify and fire again.' : 'Its alerts are only recorded now.';
    if (await attempt(() => client.put('/detector/{id}', { path: { id }, body: { tags: next } }), said))
      reload();
  };
  return (
    <>
      <header>
        <h1 class="foreign">{detector?.name ?? `New detector${schema ? `: ${schema.title}` : ''}`}</h1>
        {detector && (
          <>
            <Badge value={detector.status} />
            {isShadow(detector.tags) && <Badge tone="accent">shadow</Badge>}
            <a class="button" href={href(`/alerts?q=${encodeURIComponent(`detectorId:${detector.id}`)}`)}>
              Its alerts
            </a>
            {can('PUT /detector/{id}') && (
              <button
                type="button"
                aria-pressed={isShadow(detector.tags)}
                title="Alerts of a shadow detector notify no one and fire nothing."
                onClick={toggleShadow}
              >
                Shadow
              </button>
            )}
            {can('DELETE /detector/{id}') && (
              <button type="button" class="danger" onClick={() => setDeleting(true)}>
                <Icon name="trash" />
                Delete
              </button>
            )}
          </>
        )}
      </header>
      {contract && (
        <p class="dim">
          On{' '}
          <a class="foreign" href={href(`/contracts/${contract.id}`)}>
            {contract.name}
          </a>
        </p>
      )}
      {detector && isAutomatic(detector) && <p class="notice">{automaticReason}</p>}
      {!detector && <PlanNotice limit="maxDetectors" />}
      {detector && <Faults id={detector.id} />}
      {detector && <Quality id={detector.id} />}
      {detector && reportsEveryLook(detector) && (
        <p class="notice">
          It raises an alert at every look while its condition holds, as detectors did before version 0.17.
          Choose under “Repeat” to have one when it begins, and one when it ends.
        </p>
      )}
      <div class="beside">
        <section class="card stack">
          {schema?.description && (
            <p class="dim foreign">
              <InlineMarkdown text={schema.description.split('\n\n')[0] ?? ''} />
            </p>
          )}
          {mayWrite ? (
            <RecordForm
              path="/detector"
              singular="detector"
              record={stored}
              defaults={start}
              hidden={['schemaName', 'source', ...(detector ? ['schemaId', 'contractId'] : ['status'])]}
              order={['schemaId', 'contractId', 'name', 'config', 'destinations', 'actions']}
              labels={{ schemaId: 'Kind', desc: 'Message', config: 'Configuration' }}
              widgets={{
                ...formatWidgets(
                  signatures,
                  expressionNames(schema?.name ?? '', (value.config ?? {}) as Fields, [
                    ...(signatures?.events ?? []),
                    ...(signatures?.functions ?? []),
                  ]),
                ),
                ...amountWidgets(contractId),
                scriptFilter: scriptOf(alertNames),
                schemaId: ({ id, value: chosen, onChange, describedBy }) => (
                  <select
                    id={id}
                    aria-describedby={describedBy}
                    value={String(chosen ?? '')}
                    onChange={({ currentTarget }) => onChange(Number(currentTarget.value) || undefined)}
                  >
                    <option value="">Choose …</option>
                    {schemas.map(({ id: schemaId, title }) => (
                      <option key={schemaId} value={schemaId}>
                        {title}
                      </option>
                    ))}
                  </select>
                ),
              }}
              shape={(body, { schemaId }) =>
                withConfig(
                  shapeBindings(body),
                  schemas.find(({ id }) => id === (schemaId ?? detector?.schema.id)),
                )
              }
              follow={(next, before) => {
                const titleOf = ({ schemaId }: Fields) => schemas.find(({ id }) => id === schemaId)?.title;
                // Without a name of its own it is called as its kind.
                return next.schemaId !== before.schemaId && (!before.name || before.name === titleOf(before))
                  ? { ...next, name: titleOf(next), config: {} }
                  : next;
              }}
              onChange={setTyped}
              beside={<BacktestCount backtest={backtest} />}
              onDone={(saved) => {
                if (!saved) navigate('/approvals');
                else if (detector) reload();
                else navigate(`/detectors/${Number(saved.id)}`, { replace: true });
              }}
            />
          ) : (
            <pre class="foreign">{JSON.stringify(detector?.config, null, 2)}</pre>
          )}
        </section>
        <div class="stack stick">
          <MessagePreview template={descOf(value)} query={previewQuery(detector, schema, contractId)} />
          <Backtest backtest={backtest} />
          {detector && <Explain detectorId={detector.id} />}
        </div>
      </div>
      {isDeleting && detector && (
        <Confirm
          title="Delete this detector?"
          action="Delete detector"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await client.delete('/detector/{id}', { path: { id: detector.id } });
            toast('Deleted the detector.');
            navigate('/detectors', { isGone: true });
          }}
        >
          <p class="foreign">
            {detector.name} raises nothing any more. The alerts that it has raised stay. This cannot be
            undone.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** What a new one begins with may be all that it needs. */
function hasRequired(schema: DetectorSchema | undefined, config: unknown): boolean {
  const { required = [] } = (schema?.configSchema ?? {}) as Schema;
  return required.every((name) => (config as Fields | undefined)?.[name] !== undefined);
}

function descOf({ config }: Fields): string {
  const { desc } = (config ?? {}) as Fields;
  return typeof desc === 'string' ? desc : '';
}

/** Alerts on which its message can be tried: its own, else those of the kind on the contract. */
function previewQuery(
  detector: Detector | undefined,
  schema: DetectorSchema | undefined,
  contractId: number | undefined,
): string {
  if (detector) return `detectorId:${detector.id}`;
  return `contractId:${contractId ?? 0} AND detectorSchemaName:${schema?.name ?? 'none'}`;
}

function reportsEveryLook({ config }: Detector): boolean {
  return (config as Fields | null)?.repeat === 'every look';
}

function startOf(schemas: DetectorSchema[], schemaId: number | undefined, contractId: number | undefined) {
  const schema = schemas.find(({ id }) => id === schemaId);
  return {
    ...(schema ? { schemaId: schema.id, name: schema.title } : {}),
    ...(contractId === undefined ? {} : { contractId }),
    config: {},
  };
}

const shared = ['severity', 'cooldown', 'desc', 'tags'];

/** The form of the chosen kind in place of any object; what all kinds share folds away. */
function withConfig(body: Schema, chosen: DetectorSchema | undefined): Schema {
  const config = chosen?.configSchema as Schema | null | undefined;
  const { config: _any, schemaId, ...others } = body.properties ?? {};
  const kind = schemaId && { ...schemaId, description: 'What it looks for.' };
  const properties = { ...others, ...(kind ? { schemaId: kind } : {}) };
  if (!config) return { ...body, properties };
  // The server lists what matters, in the order of the kind; what it leaves out folds away unless it is required.
  const essential = config['x-order'] ?? Object.keys(config.properties ?? {});
  const own = essential.filter((name) => !shared.includes(name));
  const required = config.required ?? [];
  const order = [...own].sort((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
  return {
    ...body,
    properties: { ...properties, config: { ...config, 'x-order': order, description: '' } },
  };
}

function Faults({ id }: { id: number }) {
  const { data } = useLoad(
    can('GET /detector/{id}/fault') ? `fault ${id}` : null,
    (signal) => client.get('/detector/{id}/fault', { path: { id }, signal }),
    { every: 15_000 },
  );
  if (!data || data.works) return null;
  return (
    <div class="notice bad" role="alert">
      <p class="foreign">{data.message}</p>
      <p class="dim small">
        It has failed {showCount(data.count)} times since <Time at={data.firstAt} exact />, last{' '}
        <Time at={data.lastAt} />. It is tried again with every new block.
      </p>
    </div>
  );
}

/** What people made of its alerts in the last 90 days. */
function Quality({ id }: { id: number }) {
  const { data } = useLoad(can('GET /detector/{id}/quality') ? `quality ${id}` : null, (signal) =>
    client.get('/detector/{id}/quality', { path: { id }, signal }),
  );
  if (!data || (data.precision === null && data.medianMs === null)) return null;
  const { precision, total, acknowledged, medianMs } = data;
  return (
    <p class="dim small">
      In the last 90 days{' '}
      {precision !== null &&
        `${Math.round(precision * 100)} % of ${showCount(total)} judged incidents were an attack or a real fault`}
      {precision !== null && medianMs !== null && '; '}
      {medianMs !== null &&
        `half of ${showCount(acknowledged)} acknowledged alerts had someone within ${showDuration(medianMs)}`}
      .
    </p>
  );
}
