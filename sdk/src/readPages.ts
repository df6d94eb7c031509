type Search = {
  from?: number;
  size?: number;
  where?: string;
  query?: string;
  sort?: { field: string; order?: 'asc' | 'desc' }[];
  timeseries?: { from: number; to: number }[];
  trackTotalCount?: number;
};

type Page = { data: Record<string, unknown>[] };

const defaultSize = 500;

/**
 * Every record of a search, page by page. Records in the order of their ids are read by id, so that nothing is skipped or
 * repeated when others are created or deleted meanwhile; alerts and score changes up to the moment of the start.
 */
export async function* readPages(
  search: (body: Search) => Promise<Page>,
  { from = 0, size = defaultSize, ...rest }: Search,
  isByQuery: boolean,
): AsyncGenerator<Record<string, unknown>> {
  const body: Search = { ...rest, size, ...(isByQuery ? { trackTotalCount: 0 } : {}) };
  if (isByQuery) body.timeseries ??= [{ from: 0, to: Date.now() }];
  const isById = !isByQuery && body.sort === undefined && from === 0;
  let last: unknown;
  for (let offset = from; ; offset += size) {
    const { data } = await search(
      isById
        ? {
            ...body,
            sort: [{ field: 'id', order: 'asc' }],
            ...(last ? { where: after(body.where, last) } : {}),
          }
        : { ...body, from: offset },
    );
    yield* data;
    if (data.length < size) return;
    last = data.at(-1)?.id;
  }
}

function after(where: string | undefined, id: unknown): string {
  return where?.trim() ? `(${where}) and id > ${String(id)}` : `id > ${String(id)}`;
}
