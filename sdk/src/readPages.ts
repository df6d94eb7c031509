type Search = {
  from?: number;
  size?: number;
  where?: string;
  query?: string;
  sort?: { field: string; order?: 'asc' | 'desc' }[];
  timeseries?: { from: number; to: number }[];
  trackTotalCount?: number;
  cursor?: string;
};

type Page = { data: Record<string, unknown>[] };

const defaultSize = 500;

/**
 * Every record of a search, page by page. Records in the order of their ids are read by id, alerts and score changes in
 * the order of their time by cursor, so that nothing is skipped or repeated when others are created or deleted meanwhile.
 * Alerts and score changes are those up to the moment of the start.
 */
export async function* readPages(
  search: (body: Search) => Promise<Page>,
  { from = 0, size = defaultSize, ...rest }: Search,
  isByQuery: boolean,
): AsyncGenerator<Record<string, unknown>> {
  const body: Search = { ...rest, size, ...(isByQuery ? { trackTotalCount: 0 } : {}) };
  if (isByQuery) body.timeseries ??= [{ from: 0, to: Date.now() }];
  const isById = !isByQuery && body.sort === undefined && from === 0;
  const isByCursor = isByQuery && body.sort === undefined && from === 0;
  let last: Record<string, unknown> | undefined;
  for (let offset = from; ; offset += size) {
    const { data } = await search(pageBody(offset));
    yield* data;
    if (data.length < size) return;
    last = data.at(-1);
  }

  function pageBody(offset: number): Search {
    if (isByCursor) return last ? { ...body, cursor: String(last.uid) } : body;
    if (!isById) return { ...body, from: offset };
    const where = last ? { where: after(body.where, last.id) } : {};
    return { ...body, sort: [{ field: 'id', order: 'asc' }], ...where };
  }
}

function after(where: string | undefined, id: unknown): string {
  return where?.trim() ? `(${where}) and id > ${String(id)}` : `id > ${String(id)}`;
}
