import type { Alert } from '../../../../sdk/src/index.ts';
import { Badge, Tags } from '../../parts/Badge.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { Message } from '../../parts/Evidence.tsx';
import { Marked } from '../../parts/Marked.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { shortenHex, toLabel } from '../../state/format.ts';
import { nameOf } from '../../state/names.ts';
import { isNarrow } from '../../state/theme.ts';
import { silenced } from '../../state/useSilenced.ts';
import { type Matched, membersBeyond, typedClauses, wordsIn } from './matched.ts';

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

/**
 * The columns of these members, or the standard ones; `meta.amount` is a member of the evidence. `matched` has why a search
 * found an alert, by uid.
 */
export function alertColumns(
  members: readonly string[],
  matched: ReadonlyMap<string, Matched> = new Map(),
): readonly Column<Alert>[] {
  const columns = members.length > 0 ? members : standard;
  const shown = new Set([...columns, 'message', 'severity', 'status']);
  const what: Column<Alert> = {
    name: 'name',
    title: 'Alert',
    show: (alert) => (
      <What alert={alert} matched={typedClauses(matched.get(alert.uid) ?? [])} shown={shown} />
    ),
  };
  return columns.map(
    (member) =>
      (member === 'name' ? what : known[member]) ?? {
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

type WhatProps = { alert: Alert; matched: Matched; shown: ReadonlySet<string> };

function What({ alert, matched, shown }: WhatProps) {
  const { uid, name, message, timestamp, status, finality } = alert;
  const title = <Marked text={name.slice(0, 200)} words={wordsIn(matched, 'name')} />;
  const text = <Message text={message.slice(0, 400)} marked={wordsIn(matched, 'message')} />;
  const beyond = membersBeyond(matched, shown);
  const foundIn = beyond.length > 0 && (
    <span class="found-in foreign">
      found in{' '}
      {beyond
        .slice(0, 3)
        .map((member) => toLabel(member.replace(/^meta\./, '')))
        .join(', ')}
      {beyond.length > 3 && ` and ${beyond.length - 3} more`}
    </span>
  );
  const silence = silenced.value.get(uid);
  const isPending = finality === 'PENDING' && status !== 'RETRACTED';
  const isGone = status === 'RETRACTED';
  if (!isNarrow.value)
    return (
      <>
        <strong class={isGone ? 'foreign gone' : 'foreign'}>{title}</strong> {foundIn}{' '}
        {isPending && <Badge tone="warn">pending</Badge>}
        {status !== 'UNRESOLVED' && <Badge value={status} />}{' '}
        {silence !== undefined && (
          <span title={`Silenced: ${silence}`}>
            <Badge tone="dim">silenced</Badge>{' '}
          </span>
        )}
        <span class={isGone ? 'dim foreign gone' : 'dim foreign'} title={message.slice(0, 2000)}>
          {text}
        </span>
      </>
    );
  return (
    <span class={`two-lines${isGone ? ' gone' : ''}`}>
      <span class="row apart still">
        <strong class="cut foreign">{title}</strong>
        <span class="dim small">
          {silence !== undefined && <Badge tone="dim">silenced</Badge>} <Time at={timestamp} />
        </span>
      </span>
      <span class="dim small cut foreign">
        {foundIn} {text}
      </span>
    </span>
  );
}
