import { RecordSelect } from '../parts/RecordSelect.tsx';
import { nameOf } from '../state/names.ts';
import { chooseTenant, mayChooseTenant, me, tenantId } from '../state/session.ts';

/** Administrators look at one tenant or at all; everyone else sees the name of their own. */
export function TenantSwitch() {
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
