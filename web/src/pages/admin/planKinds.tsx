import type { Plan, Subscription } from '../../../../sdk/src/index.ts';
import type { RecordKind } from '../../parts/RecordPage.tsx';
import { statusColumn } from '../../parts/recordColumns.tsx';
import type { WidgetProps } from '../../parts/schemaTypes.ts';
import { Time } from '../../parts/Time.tsx';
import { showCount } from '../../state/format.ts';
import { nameOf } from '../../state/names.ts';

export const plans: RecordKind<Plan> = {
  path: '/plan',
  singular: 'plan',
  plural: 'Plans',
  about: 'A plan says how much a tenant may have of everything.',
  searched: ['name'],
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => name },
    ...(['maxContracts', 'maxDetectors', 'maxUsers'] as const).map((member) => ({
      name: member,
      title: member.slice(3),
      width: '110px',
      isNumber: true,
      wideOnly: member !== 'maxDetectors',
      show: (plan: Plan) => showCount(plan[member]),
    })),
    {
      name: 'rate',
      title: 'Alerts that notify',
      width: '150px',
      wideOnly: true,
      isNumber: true,
      show: ({ detectorRateLimit }) => showCount(detectorRateLimit),
    },
  ],
  form: { order: ['name'] },
};

export const subscriptions: RecordKind<Subscription> = {
  path: '/subscription',
  singular: 'subscription',
  plural: 'Subscriptions',
  about: 'A subscription gives a tenant a plan for some time; without one it has the free plan.',
  isOfTenant: true,
  columns: [
    {
      name: 'tenant',
      title: 'Tenant',
      show: ({ tenantId }) => nameOf('tenant', tenantId) ?? `#${tenantId}`,
    },
    { name: 'plan', title: 'Plan', show: ({ plan }) => plan.name },
    { name: 'start', title: 'Since', wideOnly: true, show: ({ startDate }) => <Time at={startDate} /> },
    {
      name: 'end',
      title: 'Ends',
      width: '120px',
      show: ({ expirationDate }) => <Time at={expirationDate} />,
    },
    statusColumn,
  ],
  toForm: ({ plan, ...rest }) => ({ ...rest, planId: plan.id }),
  form: {
    order: ['tenantId', 'planId', 'startDate', 'expirationDate'],
    labels: { startDate: 'Since', expirationDate: 'Ends' },
    widgets: {
      startDate: (props) => <DateInput {...props} />,
      expirationDate: (props) => <DateInput {...props} />,
    },
  },
};

/** A day in UTC; the API counts in milliseconds. */
function DateInput({ id, value, onChange, describedBy, isInvalid }: WidgetProps) {
  return (
    <input
      id={id}
      type="date"
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={typeof value === 'number' ? new Date(value).toISOString().slice(0, 10) : ''}
      onInput={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : Date.parse(`${currentTarget.value}T00:00:00Z`))
      }
    />
  );
}
