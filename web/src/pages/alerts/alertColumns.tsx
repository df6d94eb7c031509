import type { Alert } from '../../../../sdk/src/index.ts';
import { Badge, Tags } from '../../parts/Badge.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { Message } from '../../parts/Evidence.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { shortenHex, toLabel } from '../../state/format.ts';
import { nameOf } from '../../state/names.ts';
import { isNarrow } from '../../state/theme.ts';
import { silenced } from '../../state/useSilenced.ts';

const known: Readonly<Record<string, Column<Alert>>> = {
  timestamp: {
    name: 'timestamp',
    title: 'Time',
    width: '126px',
    wideOnly: true,
    fits: true,
    show: ({ timestamp }) => <Time at={timestamp} exact />,
  },
  severity: {
    name: 'severity',
    title: 'Severity',
    width: '82px',
    fits: true,
    show: ({ severity }) => <Severity value={severity} />,
  },
  name: { name: 'name', title: 'Alert', show: (alert) => <What alert={alert} /> },
  contractId: {
    name: 'contractId',
    title: 'Contract',
    width: '150px',
    wideOnly: true,
    show: ({ contractId }) => nameOf('contract', contractId) ?? `#${contractId}`,
  },
  detectorId: {
    name: 'detectorId',
    title: 'Detector',
    width: '150px',
    wideOnly: true,
    show: ({ detectorId }) => nameOf('detector', detectorId) ?? '',
  },
  status: {
    name: 'status',
    title: 'Status',
    width: '104px',
    wideOnly: true,
    fits: true,
    show: ({ status }) => <Badge value={status} />,
  },
  tags: { name: 'tags', title: 'Tags', wideOnly: true, show: ({ tags }) => <Tags tags={tags} /> },
};

/** Without the status, whose place the message needs more: those that are not open say so before it. */
const standard = ['timestamp', 'severity', 'name', 'contractId'];

/** The columns of these members, or the standard ones; `meta.amount` is a member of the evidence. */
export function alertColumns(members: readonly string[]): readonly Column<Alert>[] {
  return (members.length > 0 ? members : standard).map(
    (member) =>
      known[member] ?? {
        name: member,
        title: toLabel(member.replace(/^meta\./, '')),
        wideOnly: true,
        show: (alert) => <span class="foreign">{textOf(alert, member)}</span>,
      },
  );
}

function textOf(alert: Alert, member: string): string {
  let value: unknown = alert;
  for (const name of member.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
  if (value === null || value === undefined) return '';
  return shortenHex(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200);
}

function What({ alert: { uid, name, message, timestamp, status, finality } }: { alert: Alert }) {
  const silence = silenced.value.get(uid);
  const isPending = finality === 'PENDING' && status !== 'RETRACTED';
  const isGone = status === 'RETRACTED';
  if (!isNarrow.value)
    return (
      <>
        <strong class={isGone ? 'foreign gone' : 'foreign'}>{name.slice(0, 200)}</strong>{' '}
        {isPending && <Badge tone="warn">pending</Badge>}
        {status !== 'UNRESOLVED' && <Badge value={status} />}{' '}
        {silence !== undefined && (
          <span title={`Silenced: ${silence}`}>
            <Badge tone="dim">silenced</Badge>{' '}
          </span>
        )}
        <span class={isGone ? 'dim foreign gone' : 'dim foreign'} title={message.slice(0, 2000)}>
          <Message text={message.slice(0, 400)} />
        </span>
      </>
    );
  return (
    <span class={`two-lines${isGone ? ' gone' : ''}`}>
      <span class="row apart still">
        <strong class="cut foreign">{name.slice(0, 200)}</strong>
        <span class="dim small">
          {silence !== undefined && <Badge tone="dim">silenced</Badge>} <Time at={timestamp} />
        </span>
      </span>
      <span class="dim small cut foreign">
        <Message text={message.slice(0, 400)} />
      </span>
    </span>
  );
}
