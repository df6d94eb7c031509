import { useEffect } from 'preact/hooks';
import type { PageProps } from '../../pageProps.ts';
import { Empty } from '../../parts/Empty.tsx';
import { href, navigate } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { groups, sections } from './sections.tsx';

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
      <nav class="groups" aria-label="Administration">
        {groups
          .map((group) => ({ group, own: open.filter((section) => section.group === group) }))
          .filter(({ own }) => own.length > 0)
          .map(({ group, own }) => (
            <ul key={group} aria-label={group}>
              <li class="dim small" aria-hidden="true">
                {group}
              </li>
              {own.map(({ name, title }) => (
                <li key={name}>
                  <a href={href(`/admin/${name}`)} aria-current={name === present?.name ? 'page' : undefined}>
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          ))}
      </nav>
      {Section ? <Section key={present.name} /> : <Empty title="There is nothing here that you may see" />}
    </div>
  );
}
