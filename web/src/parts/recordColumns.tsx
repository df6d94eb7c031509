import { nameOf } from '../state/names.ts';
import { Badge } from './Badge.tsx';
import type { Column } from './DataTable.tsx';
import { Time } from './Time.tsx';

/** Columns that the lists of several kinds of records share. */
export const updatedColumn: Column<{ updatedAt: number }> = {
  name: 'updated',
  title: 'Changed',
  width: '100px',
  wideOnly: true,
  show: ({ updatedAt }) => <Time at={updatedAt} />,
};

export const statusColumn: Column<{ status: string }> = {
  name: 'status',
  title: 'Status',
  width: '90px',
  wideOnly: true,
  show: ({ status }) => <Badge value={status} />,
};

export const contractColumn: Column<{ contractId: number }> = {
  name: 'contract',
  title: 'Contract',
  wideOnly: true,
  show: ({ contractId }) => nameOf('contract', contractId) ?? `#${contractId}`,
};
