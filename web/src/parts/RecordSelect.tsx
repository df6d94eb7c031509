import { searchRecords } from '../state/api.ts';
import { changes } from '../state/changes.ts';
import { showCount } from '../state/format.ts';
import { nameOf as contractName } from '../state/names.ts';
import { mayChooseTenant, tenantId } from '../state/session.ts';
import { useLoad } from '../state/useLoad.ts';

/** Members that name another record, and the kind of that record. */
const kinds = {
  tenantId: 'tenant',
  organisationId: 'organisation',
  projectId: 'project',
  contractId: 'contract',
  walletId: 'wallet',
  detectorId: 'detector',
  triggerId: 'trigger',
  actionId: 'action',
  planId: 'plan',
  licenseId: 'license',
  licenseInstanceId: 'instance',
  tenantDestinationId: 'destination',
  destinationId: 'destination',
  timeSetId: 'timeset',
  scheduleId: 'schedule',
  escalationChainId: 'escalationchain',
  activeTimeSetId: 'timeset',
  muteTimeSetId: 'timeset',
  parentId: 'route',
  categoryId: 'tokenomics/category',
} as const;

export type RecordKindName = (typeof kinds)[keyof typeof kinds];

export function recordKindOf(member: string): RecordKindName | undefined {
  return (kinds as Record<string, RecordKindName>)[member];
}

/** What any of the kinds is known by. */
const knownBy = ['name', 'value', 'uri', 'messengerBChannelName', 'messengerAChatTitle', 'uid'] as const;
type Row = { id: number; version?: string; contractId?: number } & Partial<
  Record<(typeof knownBy)[number], string | null>
>;
const ofTenant = new Set<RecordKindName>([
  'project',
  'wallet',
  'destination',
  'timeset',
  'route',
  'schedule',
  'escalationchain',
]);
const limit = 500;

export type RecordSelectProps = {
  kind: RecordKindName;
  value: number | null | undefined;
  onChange(id: number | undefined): void;
  id?: string;
  where?: string;
  label?: string;
  /** What the choice of no record says. */
  none?: string | undefined;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
};

/** Chooses a record of a kind by its name. */
export function RecordSelect({
  kind,
  value,
  onChange,
  where,
  label,
  none = 'Choose …',
  ...shared
}: RecordSelectProps) {
  const own =
    mayChooseTenant.value && tenantId.value && ofTenant.has(kind)
      ? `tenantId = ${tenantId.value}`
      : undefined;
  const clause = [where, own].filter(Boolean).join(' and ');
  const { data } = useLoad(`${kind} ${clause} ${changes.value}`, (signal) =>
    searchRecords<Row>(`/${kind}`, { size: limit, where: clause }, signal),
  );
  const rows = [...(data?.data ?? [])].sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  // Several contracts have an “Ownership change”.
  const groups = [...new Set(rows.map(({ contractId }) => contractId))].map((contract) => ({
    contract,
    own: rows.filter(({ contractId }) => contractId === contract),
  }));
  return (
    <>
      <select
        {...shared}
        aria-label={label}
        value={value ?? ''}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))
        }
      >
        <option value="">{none}</option>
        {value && !rows.some(({ id }) => id === value) && <option value={value}>#{value}</option>}
        {groups.map(({ contract, own }) =>
          contract === undefined ? (
            own.map(toOption)
          ) : (
            <optgroup key={contract} label={contractName('contract', contract) ?? `contract #${contract}`}>
              {own.map(toOption)}
            </optgroup>
          ),
        )}
      </select>
      {data && data.total > limit && (
        <span class="hint">
          The first {showCount(limit)} of {showCount(data.total)}.
        </span>
      )}
    </>
  );
}

function toOption(row: Row) {
  return (
    <option key={row.id} value={row.id}>
      {nameOf(row)}
    </option>
  );
}

function nameOf(row: Row): string {
  const name = knownBy.map((member) => row[member]).find(Boolean) ?? `#${row.id}`;
  return `${name}${row.version ? ` ${row.version}` : ''}`.slice(0, 200);
}
