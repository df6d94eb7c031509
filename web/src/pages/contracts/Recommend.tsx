import { useState } from 'preact/hooks';
import type { Contract, Detector, DetectorSchema } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client, searchRecords, VigilError } from '../../state/api.ts';
import { toLabel } from '../../state/format.ts';
import { chainOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { type ContractKind, kindTitles } from './kindTitles.ts';

export type RecommendProps = { contract: Contract; present: readonly Detector[]; onDone(): void };

type Offer = {
  name: string;
  title: string;
  reason: string;
  config: Readonly<Record<string, unknown>>;
  /** How it fares on the last day, as far as that was tried. */
  past?: { state: string } | null;
};
type Offers = {
  /** Why nothing is known about the contract itself. */
  unknown?: string;
  kinds: readonly ContractKind[];
  offers: readonly Offer[];
  enable(names: string[]): Promise<unknown>;
  /** Undefined where nothing can be tried on the past. */
  tryOnPast?: () => Promise<unknown>;
};

/** Detectors that fit the contract, each with its configuration and the reason; one press enables those that are ticked. */
export function Recommend({ contract, present, onDone }: RecommendProps) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>();
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const { data, error, isLoading, reload } = useLoad(`recommend ${contract.id}`, (signal) =>
    readOffers(contract, present, signal),
  );
  const offers = data?.offers ?? [];
  // What was recognised is offered ready to go; what only might fit is left to the person.
  const chosen = ticked ?? new Set(data?.unknown === undefined ? offers.map(({ name }) => name) : []);
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    setTicked(next);
  };
  const enable = async () => {
    setState({ isBusy: true });
    try {
      await data?.enable([...chosen]);
      toast(`Enabled ${chosen.size} ${chosen.size === 1 ? 'detector' : 'detectors'}.`);
      onDone();
    } catch (reason) {
      setState({ isBusy: false, error: reason });
    }
  };
  const tryOnPast = async () => {
    setState({ isBusy: true });
    try {
      await data?.tryOnPast?.();
      toast('The last day is gone through. Come back in some minutes for limits by what was usual.');
      setState({ isBusy: false });
      reload();
    } catch (reason) {
      setState({ isBusy: false, error: reason });
    }
  };
  return (
    <div class="stack recommend">
      <Problem error={error} retry={reload} />
      <Problem error={state.error} />
      {!data && isLoading && <Loading />}
      {data?.unknown !== undefined && <p class="notice foreign">{data.unknown}</p>}
      {data && data.kinds.length > 0 && (
        <p class="row tight">
          It is recognised:
          {data.kinds.map((kind) => (
            <Badge key={kind} tone="accent">
              {kindTitles[kind]}
            </Badge>
          ))}
        </p>
      )}
      {data && offers.length === 0 && <Empty title="Every detector that fits is enabled" />}
      <ul class="choices">
        {offers.map(({ name, title, reason, config, past }) => (
          <li key={name}>
            <label class="choice">
              <input type="checkbox" checked={chosen.has(name)} onChange={() => toggle(name)} />
              <span>
                <strong class="foreign">{title}</strong>
                <span class="small foreign block">{reason}</span>
                <span class="dim small foreign block">{configText(config)}</span>
                {past && past.state !== 'DONE' && <span class="dim small block">Tried on the last day…</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <div class="row end">
        <a href={href(`/catalogue?contract=${contract.id}`)}>All detectors, with configuration</a>
        {data?.tryOnPast && offers.length > 0 && (
          <button type="button" disabled={state.isBusy} onClick={tryOnPast}>
            Try on the last day
          </button>
        )}
        <button type="button" onClick={onDone}>
          Later
        </button>
        <button type="button" class="primary" disabled={chosen.size === 0 || state.isBusy} onClick={enable}>
          Enable {chosen.size || ''}
        </button>
      </div>
    </div>
  );
}

function configText(config: Offer['config']): string {
  return Object.entries(config)
    .map(([name, value]) => `${toLabel(name)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** What the API recommends; where the contract cannot be inspected, what works on its chain without configuration. */
async function readOffers(
  contract: Contract,
  present: readonly Detector[],
  signal: AbortSignal,
): Promise<Offers> {
  const path = { id: contract.id };
  try {
    const { kinds, data } = await client.post('/contract/{id}/recommend', { path, body: {}, signal });
    return {
      kinds,
      offers: data
        .filter(({ detectorId }) => detectorId === null)
        .map(({ schemaName, ...offer }) => ({ name: schemaName, ...offer })),
      enable: (names) => client.post('/contract/{id}/recommend', { path, body: { enable: names } }),
      tryOnPast: () => client.post('/contract/{id}/recommend', { path, body: { backtest: true } }),
    };
  } catch (error) {
    if (error instanceof VigilError && error.status === 409)
      return { ...(await readFitting(contract, present, signal)), unknown: error.message };
    throw error;
  }
}

async function readFitting(
  contract: Contract,
  present: readonly Detector[],
  signal: AbortSignal,
): Promise<Offers> {
  const { data } = await searchRecords<DetectorSchema>(
    '/detector/schema',
    { where: "status = 'ACTIVE'", size: 500 },
    signal,
  );
  const family = chainOf(contract.chainUid)?.family;
  const has = new Set(present.map(({ schema }) => schema.id));
  const fitting = data.filter(
    ({ id, networkTags, configSchema }) =>
      !has.has(id) &&
      (networkTags.length === 0 || family === undefined || networkTags.includes(family)) &&
      ((configSchema as { required?: string[] } | null)?.required ?? []).length === 0,
  );
  return {
    kinds: [],
    offers: fitting.map(({ name, title, description }) => ({
      name,
      title,
      reason: description?.split('\n')[0] ?? '',
      config: {},
    })),
    enable: async (names) => {
      for (const { id, title } of fitting.filter(({ name }) => names.includes(name)))
        await client.post('/detector', { body: { contractId: contract.id, schemaId: id, name: title } });
    },
  };
}
