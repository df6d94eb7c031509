import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { request, searchRecords } from '../state/api.ts';
import { showCount } from '../state/format.ts';
import { navigate, search, setSearch } from '../state/route.ts';
import { can, mayChooseTenant, tenantId } from '../state/session.ts';
import { toast } from '../state/toasts.ts';
import { useLoad } from '../state/useLoad.ts';
import { type Column, DataTable } from './DataTable.tsx';
import { Confirm, Dialog } from './Dialog.tsx';
import { Empty, Loading } from './Empty.tsx';
import { ExportMenu } from './ExportMenu.tsx';
import { Icon } from './Icon.tsx';
import { type PlanLimit, PlanNotice } from './PlanNotice.tsx';
import { Problem } from './Problem.tsx';
import { type Fields, RecordForm, type RecordFormProps } from './RecordForm.tsx';

export type RecordRow = Fields & { id: number };

export type RecordKind<Row extends RecordRow> = {
  /** As in the API: `/destination`. */
  path: string;
  singular: string;
  plural: string;
  columns: readonly Column<Row>[];
  /** Text members that the search box looks into; none leaves it out. */
  searched?: readonly string[];
  /** Always part of the where clause. */
  where?: string;
  /** Whether records carry `tenantId`, so that an administrator's choice of tenant narrows the list. */
  isOfTenant?: boolean;
  sort?: { field: string; order: 'asc' | 'desc' };
  /** The rows as they are shown, where they stand in no plain order. */
  arrange?(rows: readonly Row[]): readonly Row[];
  /** How many rows are read at first. */
  size?: number;
  /** Reads the list again after so many milliseconds. */
  every?: number;
  form?: Omit<RecordFormProps, 'path' | 'singular' | 'record' | 'onDone' | 'onCancel'>;
  /** Member of the plan that limits how many there may be: `maxDetectors`. */
  limit?: PlanLimit;
  /** The record as the form takes it. */
  toForm?(row: Row): Fields;
  /** Reads what the record itself does not tell. */
  complete?(row: Row, signal: AbortSignal): Promise<Row>;
  /** What stands above the form when a record is open: its state, what can be done with it. */
  detail?(row: Row, reload: () => void): ComponentChildren;
  /** The page of a record, where it has one of its own instead of a drawer. */
  to?(row: Row): string;
  /** Done after a record was created. */
  onCreated?(row: Row): void;
  /** Shown after a record was created, such as a secret that is shown once. */
  created?(row: Row, headers: Headers): ComponentChildren;
  /** What such a record is good for, when there is none yet. */
  about: string;
  actions?: ComponentChildren;
  /** False where the API has no such endpoint. */
  canCreate?: boolean;
  canEdit?: boolean;
  canDelete?: boolean;
};

const pageSize = 200;

/** List, search, create, change and delete for one kind of record; what the role may not do is not shown. */
export function RecordPage<Row extends RecordRow>({ kind }: { kind: RecordKind<Row> }) {
  return (
    <div class="page">
      <RecordList kind={kind} heading="h1" />
    </div>
  );
}

/** The same as a part of another page. */
export function RecordList<Row extends RecordRow>({
  kind,
  heading = 'h2',
}: {
  kind: RecordKind<Row>;
  heading?: 'h1' | 'h2';
}) {
  const { path, singular, plural, columns, searched = [], about, detail, created } = kind;
  const [text, setText] = useState('');
  const [size, setSize] = useState(kind.size ?? pageSize);
  const [made, setMade] = useState<{ row: Row; headers: Headers }>();
  const [deleting, setDeleting] = useState<Row>();
  const where = [
    kind.where,
    kind.isOfTenant && mayChooseTenant.value && tenantId.value ? `tenantId = ${tenantId.value}` : undefined,
    text.trim() && searched.length > 0
      ? `(${searched.map((member) => `${member} ilike ${quoteLike(text.trim())}`).join(' or ')})`
      : undefined,
  ]
    .filter(Boolean)
    .join(' and ');
  const sort = [kind.sort ?? { field: 'id', order: 'desc' }];
  const list = useLoad(
    `${path} ${where} ${size}`,
    (signal) => searchRecords<Row>(path, { size, sort, where }, signal),
    kind.every === undefined ? {} : { every: kind.every },
  );
  const openId = Number(search.value.get(singular)) || undefined;
  const changedAt = list.data?.data.find(({ id }) => id === openId)?.updatedAt;
  // Rows of a list may leave out members, and a link may open a record that the list does not show.
  const whole = useLoad(
    openId === undefined || kind.to || !list.data ? null : `${path} ${openId} ${String(changedAt)}`,
    async (signal) => {
      const row = await request<Row>('GET', `${path}/{id}`, { path: { id: openId! }, signal });
      return kind.complete ? kind.complete(row, signal) : row;
    },
  );
  const open = openId !== undefined && whole.data?.id === openId ? whole.data : undefined;
  const mayCreate = kind.canCreate !== false && can(`POST ${path}`);
  // In the address, so that a checklist or a colleague can link to the form.
  const isCreating = mayCreate && search.value.get('new') === singular;
  const setCreating = (isOn: boolean) => setSearch({ new: isOn ? singular : undefined });
  const mayEdit = kind.canEdit !== false && can(`PUT ${path}/{id}`);
  const mayDelete = kind.canDelete !== false && can(`DELETE ${path}/{id}`);
  const close = () => setSearch({ [singular]: undefined });
  const Heading = heading;
  const create = mayCreate && (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      New {singular}
    </button>
  );
  return (
    <>
      <header class="row">
        <Heading class="grow">
          {plural} {list.data && <span class="dim small">{showCount(list.data.total)}</span>}
        </Heading>
        {searched.length > 0 && (
          <input
            class="filter"
            type="search"
            aria-label={`Search ${plural}`}
            placeholder={`Search by ${searched.join(', ')}`}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
        {kind.actions}
        {create}
      </header>
      {kind.limit && mayCreate && <PlanNotice limit={kind.limit} count={list.data?.total} />}
      <Problem error={list.error ?? (openId === undefined ? undefined : whole.error)} retry={list.reload} />
      {!list.data && list.isLoading && <Loading />}
      {list.data?.data.length === 0 && (
        <div class="card">
          {text ? (
            <Empty title={`No ${plural.toLowerCase()} match “${text.slice(0, 80)}”`} />
          ) : (
            <Empty title={`No ${plural.toLowerCase()} yet`} action={create}>
              {about}
            </Empty>
          )}
        </div>
      )}
      {list.data && list.data.data.length > 0 && (
        <div class="card flush">
          <DataTable
            label={plural}
            columns={columns}
            rows={kind.arrange ? kind.arrange(list.data.data) : list.data.data}
            rowKey={({ id }) => id}
            openKey={openId}
            onOpen={(row) =>
              kind.to ? navigate(kind.to(row)) : setSearch({ [singular]: String(row.id) }, { replace: false })
            }
          />
          <div class="row end more">
            {list.data.data.length < list.data.total && (
              <button type="button" class="link" onClick={() => setSize(Math.min(10_000, size * 5))}>
                Show more
              </button>
            )}
            <ExportMenu path={path} body={{ sort, ...(where ? { where } : {}) }} />
          </div>
        </div>
      )}
      {isCreating && (
        <Dialog title={`New ${singular}`} kind="drawer" onClose={() => setCreating(false)}>
          <RecordForm
            {...kind.form}
            path={path}
            singular={singular}
            onCancel={() => setCreating(false)}
            onDone={(record, headers) => {
              setCreating(false);
              list.reload();
              if (record) kind.onCreated?.(record as Row);
              if (created && record) setMade({ row: record as Row, headers });
            }}
          />
        </Dialog>
      )}
      {made && created && (
        <Dialog title={`The new ${singular}`} onClose={() => setMade(undefined)}>
          {created(made.row, made.headers)}
        </Dialog>
      )}
      {open && !deleting && (
        <Dialog title={String(open.name ?? `${singular} #${open.id}`)} kind="drawer" onClose={close}>
          {detail?.(open, list.reload)}
          {mayEdit && (
            <RecordForm
              {...kind.form}
              key={open.id}
              path={path}
              singular={singular}
              record={kind.toForm ? kind.toForm(open) : open}
              onDone={() => {
                close();
                list.reload();
              }}
            />
          )}
          {mayDelete && (
            <p>
              <button type="button" class="danger" onClick={() => setDeleting(open)}>
                <Icon name="trash" />
                Delete {singular}
              </button>
            </p>
          )}
        </Dialog>
      )}
      {deleting && (
        <Confirm
          title={`Delete this ${singular}?`}
          action={`Delete ${singular}`}
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await request('DELETE', `${path}/{id}`, { path: { id: deleting.id } });
            toast(`Deleted the ${singular}.`);
            close();
            list.reload();
          }}
        >
          <p class="foreign">
            {String(deleting.name ?? `#${deleting.id}`)} and everything that it owns will be gone. This cannot
            be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** A part of a text, as the where clause compares it. */
export function quoteLike(text: string): string {
  const escaped = text.replace(/[\\%_]/g, (sign) => `\\${sign}`);
  return `'%${escaped.replaceAll("'", "''")}%'`;
}
