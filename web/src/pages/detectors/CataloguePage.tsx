import { useState } from 'preact/hooks';
import type { DetectorSchema } from '../../../../sdk/src/index.ts';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { toLabel } from '../../state/format.ts';
import { href, search, setSearch } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import './detectors.css';
import { PageTabs } from '../PageTabs.tsx';
import { useSchemas } from './useSchemas.ts';

/** Every kind of detector by category, to search and to choose from. */
export default function CataloguePage() {
  const { data, error, reload } = useSchemas();
  const [text, setText] = useState('');
  const category = search.value.get('category') ?? '';
  const contract = search.value.get('contract');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const categories = [...new Set((data ?? []).flatMap(({ tags }) => tags.slice(0, 1)))].sort();
  const isIn = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const shown = (data ?? [])
    .filter(
      ({ title, name, description, tags }) =>
        (category === '' || tags[0] === category) && isIn(`${title} ${name} ${description ?? ''}`),
    )
    // What is called so comes before what only mentions it.
    .sort((a, b) => Number(isIn(b.title)) - Number(isIn(a.title)));
  return (
    <div class="page">
      <PageTabs of="Detectors and triggers" />
      <header class="row">
        <h1 class="grow">
          Catalogue <span class="dim small">{data?.length}</span>
        </h1>
        <input
          class="filter"
          type="search"
          aria-label="Search the catalogue"
          placeholder="Search: transfer, owner, price …"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </header>
      <fieldset class="row tight">
        <legend class="hide-visually">Category</legend>
        {['', ...categories].map((name) => (
          <button
            key={name}
            type="button"
            class="small"
            aria-pressed={category === name}
            onClick={() => setSearch({ category: name || undefined })}
          >
            {name === '' ? 'All' : toLabel(name.toLowerCase())}
          </button>
        ))}
      </fieldset>
      <Problem error={error} retry={reload} />
      {!data && !error && <Loading />}
      {data && shown.length === 0 && (
        <div class="card">
          <Empty
            title="No detector matches"
            action={
              <button
                type="button"
                onClick={() => {
                  setText('');
                  setSearch({ category: undefined });
                }}
              >
                Show all
              </button>
            }
          >
            Custom event, custom function and invariant watch for whatever you can write as an expression.
          </Empty>
        </div>
      )}
      <ul class="catalogue">
        {shown.map((schema) => (
          <Entry key={schema.id} schema={schema} contract={contract} />
        ))}
      </ul>
    </div>
  );
}

function Entry({ schema, contract }: { schema: DetectorSchema; contract: string | null }) {
  const { id, title, description, tags } = schema;
  const [first = '', ...rest] = (description ?? '').split('\n\n');
  return (
    <li class="card stack">
      <div class="row apart">
        <h2 class="foreign">{title}</h2>
        <span class="tag">{tags[0]}</span>
      </div>
      <p class="foreign">{first}</p>
      {rest.length > 0 && (
        <details>
          <summary>Good to know</summary>
          {rest.map((paragraph) => (
            <p class="dim small foreign" key={paragraph}>
              {paragraph}
            </p>
          ))}
        </details>
      )}
      {can('POST /detector') && (
        <a
          class="button small"
          href={href(`/detectors/new?schema=${id}${contract ? `&contract=${contract}` : ''}`)}
          aria-label={`Use it: ${title}`}
        >
          <Icon name="plus" />
          Use it
        </a>
      )}
    </li>
  );
}
