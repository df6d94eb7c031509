import { useState } from 'preact/hooks';
import { DataTable } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { saveFile } from '../../state/saveFile.ts';
import { can, mayChooseTenant, tenantId } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { type AuditChange, type AuditEntry, actorOf, changesOf, recordOf } from './auditWords.ts';
import { Verify } from './Verify.tsx';

/** Who changed what, in a chain that shows when an entry was altered. */
export function AuditSection() {
  const [size, setSize] = useState(200);
  const [kind, setKind] = useState('');
  const [open, setOpen] = useState<AuditEntry>();
  const [isVerifying, setVerifying] = useState(false);
  const chosen = mayChooseTenant.value ? tenantId.value : undefined;
  const query = { ...(chosen === undefined ? {} : { tenantId: chosen }), ...(kind ? { kind } : {}) };
  const { data, error, reload } = useLoad(`audit ${JSON.stringify(query)} ${size}`, (signal) =>
    client.get('/audit', { query: { ...query, size }, signal }),
  );
  const download = () =>
    attempt(async () => {
      const response = await client.open('GET', '/audit/export', { query });
      saveFile(await response.blob(), 'audit.jsonl');
    });
  return (
    <>
      <header class="row">
        <h1 class="grow">Audit log</h1>
        <input
          class="filter"
          type="search"
          aria-label="Kind of record"
          placeholder="Kind of record: detector, user …"
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value.trim())}
        />
        {can('GET /audit/checkpoint') && (
          <button type="button" onClick={() => setVerifying(true)}>
            Verify
          </button>
        )}
        {can('GET /audit/export') && (
          <button type="button" onClick={download}>
            Export
          </button>
        )}
      </header>
      <Problem error={error} retry={reload} />
      {!data && !error && <Loading />}
      {data?.data.length === 0 && (
        <div class="card">
          <Empty title="No entries">Every change of a record is written here, with who made it.</Empty>
        </div>
      )}
      {data && data.data.length > 0 && (
        <div class="card flush">
          <DataTable
            label="Audit log"
            rows={data.data}
            rowKey={({ tenantId: chain, seq }) => `${chain} ${seq}`}
            onOpen={(entry) => setOpen(entry)}
            columns={[
              { name: 'at', title: 'When', width: '140px', show: ({ at }) => <Time at={at} exact /> },
              { name: 'action', title: 'What', show: ({ action }) => action },
              { name: 'record', title: 'Record', wideOnly: true, show: recordOf },
              { name: 'actor', title: 'Who', show: actorOf },
              {
                name: 'changes',
                title: 'Changes',
                wideOnly: true,
                show: (entry) => changesOf(entry).map(describeChange).join('; ').slice(0, 300),
              },
              { name: 'seq', title: 'Entry', width: '70px', isNumber: true, show: ({ seq }) => seq },
            ]}
          />
          {data.data.length === size && size < 1000 && (
            <p class="row end more">
              <button type="button" class="link" onClick={() => setSize(1000)}>
                Show more
              </button>
            </p>
          )}
        </div>
      )}
      {open && (
        <Dialog title={`${open.action} (entry ${open.seq})`} kind="drawer" onClose={() => setOpen(undefined)}>
          <p class="foreign">
            {recordOf(open)}, by {actorOf(open)}, <Time at={open.at} exact />
          </p>
          <dl class="facts">
            {changesOf(open).map(({ member, before, after }) => (
              <>
                <dt key={member} class="foreign">
                  {member}
                </dt>
                <dd class="foreign">{before ? `${before} → ${after}` : after}</dd>
              </>
            ))}
          </dl>
          <details>
            <summary>The entry as it is signed</summary>
            <pre class="foreign">{JSON.stringify(open, null, 2)}</pre>
          </details>
        </Dialog>
      )}
      {isVerifying && (
        <Dialog title="Verify the audit log" kind="wide" onClose={() => setVerifying(false)}>
          <Verify />
        </Dialog>
      )}
    </>
  );
}

function describeChange({ member, before, after }: AuditChange): string {
  return before === '' || before === '–' ? `${member}: ${after}` : `${member}: ${before} → ${after}`;
}
