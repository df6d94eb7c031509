import { useRef, useState } from 'preact/hooks';
import type { Label } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Tags } from '../../parts/Badge.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { chainOf } from '../../state/names.ts';
import { can, mayChooseTenant, tenantId } from '../../state/session.ts';

const labels: RecordKind<Label> = {
  path: '/label',
  singular: 'label',
  plural: 'Labels',
  about: 'A label says what is known of an address. Detectors use its tags and score, alerts show its name.',
  searched: ['address', 'name'],
  limit: 'maxLabels',
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => name },
    {
      name: 'address',
      title: 'Address',
      width: '180px',
      show: ({ address, chainUid }) => <Address value={address} chainUid={chainUid} />,
    },
    {
      name: 'chainUid',
      title: 'Chain',
      width: '120px',
      wideOnly: true,
      show: ({ chainUid }) => chainOf(chainUid)?.name ?? 'all',
    },
    { name: 'tags', title: 'Tags', wideOnly: true, show: ({ tags }) => <Tags tags={tags} /> },
    {
      name: 'score',
      title: 'Score',
      width: '70px',
      isNumber: true,
      wideOnly: true,
      show: ({ score }) => score,
    },
    { name: 'source', title: 'Source', width: '140px', wideOnly: true, show: ({ source }) => source },
  ],
  form: { order: ['address', 'name', 'tags', 'score', 'chainUid'] },
};

export function LabelsSection() {
  const [isImporting, setImporting] = useState(false);
  const [round, setRound] = useState(0);
  const offer = can('POST /label/import') && (
    <button type="button" onClick={() => setImporting(true)}>
      Import
    </button>
  );
  return (
    <>
      <RecordList key={round} kind={{ ...labels, actions: offer }} heading="h1" />
      {isImporting && (
        <Dialog title="Import labels" onClose={() => setImporting(false)}>
          <Import onDone={() => setRound((count) => count + 1)} />
        </Dialog>
      )}
    </>
  );
}

const linesAtOnce = 5000;
type Outcome = { created: number; updated: number; unchanged: number; faultCount: number; faults: string[] };
const nothing: Outcome = { created: 0, updated: 0, unchanged: 0, faultCount: 0, faults: [] };

/** Sends a file in parts of some thousand lines, so that it can say how far it is. */
function Import({ onDone }: { onDone(): void }) {
  const [state, setState] = useState<{ done: number; all: number; outcome: Outcome; error?: unknown }>();
  const isStopped = useRef(false);
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const file = form.get('file');
    const text = file instanceof File && file.size > 0 ? await file.text() : String(form.get('text') ?? '');
    const lines = text.trimEnd().split(/\r?\n/);
    const head = /^\s*address\b/i.test(lines[0] ?? '') ? [lines.shift()!] : [];
    const source = String(form.get('source') ?? '').trim();
    const own = mayChooseTenant.value && tenantId.value !== undefined ? { tenantId: tenantId.value } : {};
    isStopped.current = false;
    let outcome = nothing;
    for (let at = 0; at < lines.length && !isStopped.current; at += linesAtOnce) {
      setState({ done: at, all: lines.length, outcome });
      const csv = [...head, ...lines.slice(at, at + linesAtOnce)].join('\n');
      try {
        const body = { csv, ...own, ...(source ? { source } : {}) };
        const part = await client.post('/label/import', { query: { partial: 'true' }, body });
        outcome = add(outcome, part, at, (line) => lines[at + line - 1 - head.length] ?? '');
      } catch (error) {
        setState({ done: at, all: lines.length, outcome, error });
        return;
      }
    }
    setState({ done: lines.length, all: lines.length, outcome });
    onDone();
  };
  const isBusy = state !== undefined && state.done < state.all && state.error === undefined;
  return (
    <form class="stack" onSubmit={start}>
      <p class="dim">
        Lines of address, score, tags and name, such as <code>0x8589…da16,90,MIXER;SANCTION,Router</code>; in
        any order after a line that names the columns. Lines with a fault are left out and listed.
      </p>
      <label class="field">
        <span class="label">File</span>
        <input name="file" type="file" accept=".csv,text/csv,text/plain" />
      </label>
      <label class="field">
        <span class="label">Or paste the lines</span>
        <textarea name="text" class="mono" rows={5} spellcheck={false} />
      </label>
      <label class="field">
        <span class="label">Source</span>
        <input name="source" placeholder="where the list comes from" />
      </label>
      <Problem error={state?.error} />
      {state && (
        <div class="stack" role="status">
          <div class="meter">
            <i style={{ width: `${(100 * state.done) / Math.max(1, state.all)}%` }} />
          </div>
          <p>
            {showCount(state.done)} of {showCount(state.all)} lines: {showCount(state.outcome.created)} new,{' '}
            {showCount(state.outcome.updated)} changed, {showCount(state.outcome.unchanged)} known,{' '}
            {showCount(state.outcome.faultCount)} left out.
          </p>
          <ul>
            {state.outcome.faults.slice(0, 20).map((fault) => (
              <li class="fault foreign" key={fault}>
                {fault}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="row end">
        {isBusy && (
          <button
            type="button"
            onClick={() => {
              isStopped.current = true;
            }}
          >
            Stop
          </button>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          Import
        </button>
      </div>
    </form>
  );
}

type Part = Omit<Outcome, 'faults'> & { faults: { line: number; message: string }[] };

function add(sum: Outcome, part: Part, offset: number, lineAt: (line: number) => string): Outcome {
  return {
    created: sum.created + part.created,
    updated: sum.updated + part.updated,
    unchanged: sum.unchanged + part.unchanged,
    faultCount: sum.faultCount + part.faultCount,
    faults: [
      ...sum.faults,
      ...part.faults.map(
        ({ line, message }) => `Line ${line + offset}: ${message} (${lineAt(line).slice(0, 100)})`,
      ),
    ].slice(0, 100),
  };
}
