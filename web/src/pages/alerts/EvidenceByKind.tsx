import type { Alert } from '../../../../sdk/src/index.ts';
import { type EvidenceMember, readEvidence } from '../../../../src/model/evidenceReadings.ts';
import { Address } from '../../parts/Address.tsx';
import { Amount } from '../../parts/Amount.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { showDuration } from '../../state/format.ts';

type Names = ReadonlyMap<string, string>;
type Props = { alert: Pick<Alert, 'meta' | 'detectorSchemaName' | 'chainUid'>; names: Names };

/** The evidence as its kind is read: what matters first and with its unit, a comparison where one explains it, the rest folded. */
export function EvidenceByKind({ alert: { meta, detectorSchemaName, chainUid }, names }: Props) {
  const { first, folded, series } = readEvidence(detectorSchemaName, meta);
  const symbol = typeof meta.symbol === 'string' ? meta.symbol.slice(0, 40) : undefined;
  return (
    <>
      <dl class="facts evidence">
        {first.map((member) => (
          <Member key={member.name} member={member} symbol={symbol} chainUid={chainUid} names={names} />
        ))}
      </dl>
      {series.length > 0 && <Comparison series={series} symbol={symbol} />}
      {folded.length > 0 && (
        <details>
          <summary>The rest of the evidence</summary>
          <Evidence
            value={Object.fromEntries(folded.map(({ name, value }) => [name, value]))}
            chainUid={chainUid}
            names={names}
          />
        </details>
      )}
    </>
  );
}

type MemberProps = {
  member: EvidenceMember;
  symbol: string | undefined;
  chainUid: string | null;
  names: Names;
};

function Member({ member, symbol, chainUid, names }: MemberProps) {
  const { name, title, format, value } = member;
  const number = numberIn(value);
  // Members of any other form are shown as evidence without a kind is.
  const isPlain = format === 'plain' || format === 'time' || number === undefined;
  if (isPlain && !isAssets(value))
    return (
      <Evidence
        value={{ [name]: value }}
        titles={{ [name]: title }}
        chainUid={chainUid}
        names={names}
        isBare
      />
    );
  return (
    <>
      <dt class="foreign">{title}</dt>
      <dd>
        {isAssets(value) ? (
          <Assets assets={value} chainUid={chainUid} names={names} />
        ) : format === 'percent' ? (
          <>
            <Amount value={number ?? ''} /> %
          </>
        ) : format === 'usd' ? (
          <Amount value={number ?? ''} symbol="USD" />
        ) : format === 'amount' ? (
          <Amount value={number ?? ''} {...(symbol ? { symbol } : {})} />
        ) : (
          showDuration(Number(number) * (unitMs[format] ?? 1))
        )}
      </dd>
    </>
  );
}

const unitMs: Record<string, number> = { seconds: 1000, minutes: 60_000, milliseconds: 1 };

type Asset = {
  asset: string;
  symbol?: unknown;
  change?: unknown;
  amount?: unknown;
  held?: unknown;
  percent?: unknown;
};
const maxAssets = 20;

function Assets({
  assets,
  chainUid,
  names,
}: {
  assets: readonly Asset[];
  chainUid: string | null;
  names: Names;
}) {
  return (
    <ul class="stack tight">
      {assets.slice(0, maxAssets).map(({ asset, symbol, change, amount, held, percent }, index) => (
        <li key={index}>
          <Amount
            value={numberIn(change ?? amount) ?? '?'}
            {...(typeof symbol === 'string' ? { symbol: symbol.slice(0, 40) } : {})}
          />
          {numberIn(held) !== undefined && (
            <span class="dim">
              {' '}
              of <Amount value={numberIn(held)!} />
            </span>
          )}
          {numberIn(percent) !== undefined && <span class="dim"> ({numberIn(percent)} %)</span>}{' '}
          {asset !== 'native' && (
            <Address value={asset} chainUid={chainUid} name={names.get(asset.toLowerCase())} />
          )}
        </li>
      ))}
      {assets.length > maxAssets && <li class="dim">and {assets.length - maxAssets} more</li>}
    </ul>
  );
}

function isAssets(value: unknown): value is Asset[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof (item as { asset?: unknown } | null)?.asset === 'string')
  );
}

function numberIn(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^-?\d{1,60}(\.\d{1,30})?$/.test(text) ? text : undefined;
}

type Series = ReturnType<typeof readEvidence>['series'];

/** Bars of what is compared: before and after, usual and now. */
function Comparison({ series, symbol }: { series: Series; symbol: string | undefined }) {
  const most = Math.max(...series.map(({ value }) => Math.abs(value))) || 1;
  return (
    <ul class="comparison">
      {series.map(({ title, value, text }) => (
        <li key={title}>
          <span class="dim small">{title}</span>
          <span class="bar" aria-hidden="true">
            <i style={{ width: `${(Math.abs(value) / most) * 100}%` }} />
          </span>
          <Amount value={text} {...(symbol ? { symbol } : {})} />
        </li>
      ))}
    </ul>
  );
}
