import { Type } from 'typebox';
import { membersOf } from '../../lib/isRecord.ts';
import { nearest } from '../../lib/nearest.ts';
import { toCsvLine } from '../../lib/toCsvLine.ts';
import { invalid } from '../../model/errors.ts';
import { Shape } from '../../model/schema.ts';
import type { Call } from '../../services/call.ts';
import { findPlan } from '../../store/accounts/plans.ts';
import { type ExportPage, type ExportSource, maxExportRows } from '../../store/db/exportPage.ts';
import { accessOf } from './access.ts';
import { createScopeWatch } from './createScopeWatch.ts';
import type { Endpoint, Input, Reply } from './endpoint.ts';

const maxBytes = 256 * 1024 * 1024;
/** A reader that takes nothing for this long is disconnected. */
const stallMs = 60_000;

type AnyInput = Input<unknown, unknown, unknown>;

/** The rows of the search, with these of the members that its records have. */
type Find = (call: Call, input: AnyInput, names: readonly string[]) => Promise<ExportSource>;

const query = Shape(
  {
    columns: Type.String({
      description:
        'Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out.',
      minLength: 1,
      maxLength: 4000,
      examples: ['id,name'],
    }),
  },
  [],
);

/**
 * The search, also as an export of all hits as CSV or JSON lines if `Accept` asks for it. The rows match at the start;
 * pages are sent as the reader takes them.
 */
export function exportable(search: Endpoint, names: readonly string[], find: Find): Endpoint {
  let watch: ReturnType<typeof createScopeWatch> | undefined;
  return {
    ...search,
    query,
    isReport: true,
    isExportable: true,
    problems: [...(search.problems ?? []), 'plan-limit'],
    handle: async (call, input) => {
      const format = formatOf(input.headers.accept);
      const { columns } = membersOf(input.query);
      if (format) {
        watch ??= createScopeWatch(accessOf(search));
        return sendExport(call, input, { format, watch, find, path: search.path, names, columns });
      }
      if (columns === undefined) return search.handle(call, input);
      throw invalid(
        '/query/columns',
        'not-exported',
        'is for CSV and JSON lines: send `Accept: text/csv` or `Accept: application/x-ndjson` with it.',
      );
    },
  };
}

type Writer = {
  head: string;
  line(json: string): string;
  /** The last line of an export that is not complete. */
  cut(reason: string): string;
};

type Format = { type: string; ending: string; writer(columns: readonly Column[], isWhole: boolean): Writer };

type Column = { name: string; path: readonly string[] };

const formats: Readonly<Record<string, Format>> = {
  'text/csv': {
    type: 'text/csv',
    ending: 'csv',
    writer: (columns) => ({
      head: toCsvLine(columns.map(({ name }) => name)),
      line: (json) => {
        const row: unknown = JSON.parse(json);
        return toCsvLine(columns.map(({ path }) => valueAt(row, path)));
      },
      cut: (reason) => toCsvLine([`# truncated: ${reason}`]),
    }),
  },
  'application/x-ndjson': {
    type: 'application/x-ndjson',
    ending: 'ndjson',
    writer: (columns, isWhole) => ({
      head: '',
      line: (json) => {
        if (isWhole) return `${json}\n`;
        const row: unknown = JSON.parse(json);
        const members = columns.map(({ name, path }) => [name, valueAt(row, path) ?? null]);
        return `${JSON.stringify(Object.fromEntries(members))}\n`;
      },
      cut: (reason) => `${JSON.stringify({ truncated: true, reason })}\n`,
    }),
  },
};

/** The format that the caller prefers to JSON, if it names one. */
function formatOf(accept = ''): Format | undefined {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, quality: Number(quality ?? 1) };
  });
  const [best] = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  return best && Object.hasOwn(formats, best.type) ? formats[best.type] : undefined;
}

type Export = {
  format: Format;
  watch: ReturnType<typeof createScopeWatch>;
  find: Find;
  path: string;
  names: readonly string[];
  columns: unknown;
};

async function sendExport(call: Call, input: AnyInput, options: Export): Promise<Reply> {
  const { format, watch, find, path, names } = options;
  const columns = readColumns(options.columns, names);
  const members = [...new Set(columns.map(({ path: [first = ''] }) => first))];
  const { tenantId } = call.principal;
  const limit =
    tenantId === null ? Number.POSITIVE_INFINITY : (await findPlan(call.db, tenantId, call.now)).maxStreams;
  const release = call.services.alertFeed.slots.take(call.principal, limit);
  try {
    const source = await find(call, input, members);
    const first = await source.read(0);
    const state = { isRevoked: false };
    const stalled = new AbortController();
    const unwatch = watch(call, () => {
      state.isRevoked = true;
    });
    const isWhole = columns.every((column) => column.path.length === 1);
    const pieces = toPieces(source, first, format.writer(columns, isWhole), state);
    return {
      body: '',
      headers: {
        'content-disposition': `attachment; filename="${path.split('/').at(-2)}.${format.ending}"`,
        'x-export-count': String(source.count),
        ...(source.isComplete ? {} : { 'x-export-truncated': 'rows' }),
      },
      stream: {
        type: format.type,
        isShared: true,
        pieces: whileRead(pieces, stalled),
        cut: stalled.signal,
        onEnd: () => {
          release();
          unwatch();
        },
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

function readColumns(text: unknown, names: readonly string[]): Column[] {
  if (typeof text !== 'string') return names.map((name) => ({ name, path: [name] }));
  return text.split(',').map((part) => {
    const name = part.trim();
    const path = name.split('.');
    const [first = ''] = path;
    if (names.includes(first)) return { name, path };
    const closest = nearest(first, names);
    throw invalid(
      '/query/columns',
      'unknown-field',
      `names "${first}", which the records do not have; ${closest ? `did you mean ${closest}?` : `they have ${names.join(', ')}.`}`,
    );
  });
}

function valueAt(row: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => {
    const members = membersOf(value);
    return Object.hasOwn(members, name) ? members[name] : undefined;
  }, row);
}

async function* toPieces(
  source: ExportSource,
  first: ExportPage,
  { head, line, cut }: Writer,
  state: { isRevoked: boolean },
): AsyncGenerator<string> {
  let bytes = 0;
  let page = first;
  if (head !== '') yield head;
  for (;;) {
    const text = page.lines.map(line).join('');
    bytes += Buffer.byteLength(text);
    if (text !== '') yield text;
    if (page.next >= source.count) break;
    if (state.isRevoked) return yield cut('the rights of the token have changed.');
    if (bytes >= maxBytes) return yield cut(`more than ${maxBytes / 1024 / 1024} MiB; narrow the search.`);
    page = await source.read(page.next);
  }
  if (!source.isComplete) yield cut(`more than ${maxExportRows} records match; narrow the search.`);
}

async function* whileRead(pieces: AsyncGenerator<string>, stalled: AbortController): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const timer = setTimeout(() => stalled.abort(), stallMs).unref();
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
  }
}
