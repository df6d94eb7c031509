import { useState } from 'preact/hooks';
import type { View } from '../../../../sdk/src/index.ts';
import { Icon } from '../../parts/Icon.tsx';
import { searchRecords } from '../../state/api.ts';
import { search } from '../../state/route.ts';
import { mayChooseTenant, tenantId } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';
import { ViewForm } from './ViewForm.tsx';
import type { Viewed } from './viewed.ts';

export type ViewsProps = { viewed: Viewed; onOpen(viewed: Viewed & { id: number | undefined }): void };

/** Searches that are kept: one's own and those of the tenant. The open one is in the address. */
export function Views({ viewed, onOpen }: ViewsProps) {
  const [isSaving, setSaving] = useState(false);
  const tenant = tenantId.value;
  const { data, reload } = useLoad(
    tenant === undefined ? null : `views ${tenant}`,
    (signal) =>
      searchRecords<View>(
        '/view',
        {
          size: 500,
          sort: [{ field: 'name', order: 'asc' }],
          ...(mayChooseTenant.value ? { where: `tenantId = ${tenant}` } : {}),
        },
        signal,
      ),
    { later: true },
  );
  if (tenant === undefined) return <span class="dim small">Choose a tenant to keep views.</span>;
  const views = data?.data ?? [];
  const open = views.find(({ id }) => id === Number(search.value.get('view')));
  const groups = [
    ['Your own', views.filter(({ shared }) => !shared)],
    ['Of the tenant', views.filter(({ shared }) => shared)],
  ] as const;
  return (
    <span class="row tight still">
      {views.length > 0 && (
        <select
          aria-label="Saved views"
          value={open?.id ?? ''}
          onChange={({ currentTarget }) => {
            const view = views.find(({ id }) => id === Number(currentTarget.value));
            onOpen({
              id: view?.id,
              query: view?.query ?? '',
              range: view?.timeRange ?? viewed.range,
              columns: view?.columns ?? [],
            });
          }}
        >
          <option value="">Views …</option>
          {groups.map(
            ([title, list]) =>
              list.length > 0 && (
                <optgroup key={title} label={title}>
                  {list.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name.slice(0, 80)}
                    </option>
                  ))}
                </optgroup>
              ),
          )}
        </select>
      )}
      <button type="button" onClick={() => setSaving(true)}>
        <Icon name="edit" />
        {open ? 'View' : 'Save view'}
      </button>
      {isSaving && (
        <ViewForm
          viewed={viewed}
          open={open}
          tenantId={tenant}
          onClose={() => setSaving(false)}
          onDone={(next) => {
            setSaving(false);
            reload();
            onOpen({ ...viewed, ...next });
          }}
        />
      )}
    </span>
  );
}
