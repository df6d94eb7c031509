import { openAnswer } from '../state/api.ts';
import { showCount } from '../state/format.ts';
import { saveFile } from '../state/saveFile.ts';
import { attempt, toast } from '../state/toasts.ts';
import { Icon } from './Icon.tsx';

export type ExportMenuProps = {
  /** Of the records, as in the API: `/alert`. */
  path: string;
  body: Readonly<Record<string, unknown>>;
  /** Members in their order; all where there are none. */
  columns?: readonly string[];
};

const formats = [
  ['CSV', 'text/csv', 'csv'],
  ['JSON', 'application/x-ndjson', 'jsonl'],
] as const;

/** All that a search finds as a file. */
export function ExportMenu({ path, body, columns = [] }: ExportMenuProps) {
  const save = (type: string, ending: string) =>
    attempt(async () => {
      const response = await openAnswer('POST', `${path}/search`, {
        body,
        headers: { accept: type },
        ...(columns.length > 0 ? { query: { columns: columns.join() } } : {}),
      });
      saveFile(await response.blob(), `${path.slice(1).replaceAll('/', '-')}.${ending}`);
      if (response.headers.has('x-export-truncated')) {
        const count = Number(response.headers.get('x-export-count'));
        toast(`The file has the first ${showCount(count)}; narrow the search for the rest.`);
      }
    });
  return (
    <span class="row tight">
      {formats.map(([title, type, ending]) => (
        <button
          key={title}
          type="button"
          class="plain small"
          aria-label={`Export as ${title}`}
          onClick={() => save(type, ending)}
        >
          <Icon name="download" />
          {title}
        </button>
      ))}
    </span>
  );
}
