import type { TokenomicsCategory, TokenomicsSchedule } from '../../../../sdk/src/index.ts';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { statusColumn } from '../../parts/recordColumns.tsx';
import { nameOf } from '../../state/names.ts';

const categories: RecordKind<TokenomicsCategory> = {
  path: '/tokenomics/category',
  singular: 'category',
  plural: 'Token allocations',
  about:
    'An allocation says who should hold how much of a token. The page of the contract compares it with the chain.',
  searched: ['name'],
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => name },
    {
      name: 'contract',
      title: 'Contract',
      show: ({ contractId }) => nameOf('contract', contractId) ?? `#${contractId}`,
    },
    statusColumn,
  ],
  form: { order: ['contractId', 'name'] },
};

const schedules: RecordKind<TokenomicsSchedule> = {
  path: '/tokenomics/schedule',
  singular: 'schedule',
  plural: 'Release schedules',
  about: 'A schedule says when an allocation is released. Add an allocation first.',
  searched: ['name'],
  columns: [{ name: 'name', title: 'Name', show: ({ name }) => name }, statusColumn],
  form: { order: ['name'] },
};

/** What is planned for tokens. */
export function TokenomicsSection() {
  return (
    <>
      <RecordList kind={categories} heading="h1" />
      <RecordList kind={schedules} />
    </>
  );
}
