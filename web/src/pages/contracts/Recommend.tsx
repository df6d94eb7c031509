import { useState } from 'preact/hooks';
import type { Contract, Detector, DetectorSchema } from '../../../../sdk/src/index.ts';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client, searchRecords } from '../../state/api.ts';
import { chainOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';

export type RecommendProps = { contract: Contract; present: readonly Detector[]; onDone(): void };

/** Detectors that work on the chain and need no configuration first; one press enables those that are ticked. */
export function Recommend({ contract, present, onDone }: RecommendProps) {
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const schemas = useLoad(
    'schemas',
    async (signal) =>
      (
        await searchRecords<DetectorSchema>(
          '/detector/schema',
          { where: "status = 'ACTIVE'", size: 500 },
          signal,
        )
      ).data,
  );
  const family = chainOf(contract.chainUid)?.family;
  const has = new Set(present.map(({ schema }) => schema?.id));
  const fitting = (schemas.data ?? []).filter(
    ({ id, networkTags, configSchema }) =>
      !has.has(id) &&
      (networkTags.length === 0 || family === undefined || networkTags.includes(family)) &&
      ((configSchema as { required?: string[] } | null)?.required ?? []).length === 0,
  );
  const enable = async () => {
    setState({ isBusy: true });
    try {
      for (const { id, title } of fitting.filter((schema) => ticked.has(schema.id)))
        await client.post('/detector', {
          body: { contractId: contract.id, schemaId: id, name: title },
        });
      toast(`Enabled ${ticked.size} detectors.`);
      onDone();
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  const toggle = (id: number) => {
    const next = new Set(ticked);
    if (!next.delete(id)) next.add(id);
    setTicked(next);
  };
  return (
    <div class="stack recommend">
      <Problem error={schemas.error ?? state.error} />
      {!schemas.data && schemas.isLoading && <Loading />}
      {schemas.data && fitting.length === 0 && (
        <Empty title="No further detector fits without configuration" />
      )}
      <ul class="choices">
        {fitting.map(({ id, title, description, tags }) => (
          <li key={id}>
            <label class="choice">
              <input type="checkbox" checked={ticked.has(id)} onChange={() => toggle(id)} />
              <span>
                <strong class="foreign">{title}</strong> <span class="dim small">{tags[0]}</span>
                <span class="dim small foreign block">{description?.split('\n')[0]}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <div class="row end">
        <a href={href(`/detectors?contract=${contract.id}`)}>All detectors, with configuration</a>
        <button type="button" onClick={onDone}>
          Later
        </button>
        <button type="button" class="primary" disabled={ticked.size === 0 || state.isBusy} onClick={enable}>
          Enable {ticked.size || ''}
        </button>
      </div>
    </div>
  );
}
