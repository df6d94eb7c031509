import { useEffect } from 'preact/hooks';
import type { PageProps } from '../../pages.ts';
import { Empty } from '../../parts/Empty.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { navigate } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { sections } from './sections.tsx';

/** Everything that is set up once; each section only for who may read it. */
export default function AdminPage({ params }: PageProps) {
  const open = sections.filter(({ needs }) => can(needs));
  const present = open.find(({ name }) => name === params.section);
  const first = open[0]?.name;
  useEffect(() => {
    if (!present && first) navigate(`/admin/${first}`, { replace: true });
  }, [present, first]);
  const Section = present?.Section;
  return (
    <div class="page">
      <Tabs label="Administration" tabs={open.map(({ name, title }) => ({ to: `/admin/${name}`, title }))} />
      {Section ? <Section key={present.name} /> : <Empty title="There is nothing here that you may see" />}
    </div>
  );
}
