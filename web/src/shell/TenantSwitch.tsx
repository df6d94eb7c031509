import { useEffect } from 'preact/hooks';
import { RecordSelect } from '../parts/RecordSelect.tsx';
import { searchRecords } from '../state/api.ts';
import { nameOf } from '../state/names.ts';
import { chooseTenant, hasChosenTenant, mayChooseTenant, me, tenantId } from '../state/session.ts';
import { useLoad } from '../state/useLoad.ts';

/** Administrators look at one tenant or at all; everyone else sees the name of their own. */
export function TenantSwitch() {
  const isUndecided = mayChooseTenant.value && tenantId.value === undefined && !hasChosenTenant();
  const { data } = useLoad(
    isUndecided ? 'only tenant' : null,
    (signal) => searchRecords<{ id: number }>('/tenant', { size: 1 }, signal),
    { later: true },
  );
  // Where there is but one, it is what an administrator means.
  useEffect(() => {
    if (isUndecided && data?.total === 1) chooseTenant(data.data[0]?.id);
  }, [isUndecided, data]);
  if (mayChooseTenant.value)
    return (
      <span class="tenant">
        <RecordSelect
          kind="tenant"
          label="Tenant"
          none="All tenants"
          value={tenantId.value}
          onChange={chooseTenant}
        />
      </span>
    );
  const name = nameOf('tenant', me.value?.tenantId);
  return name ? <span class="tenant dim cut">{name}</span> : null;
}
