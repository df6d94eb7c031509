import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Endpoints that no page calls, and why not. */
const reasons: Readonly<Record<string, string>> = {
  'POST /auth/refresh': 'the client refreshes its session by itself',
  'POST /auth/cookie': 'the client signs in with it (loginWithToken)',
  'POST /auth/login': 'the client signs in with it (login)',
  'POST /auth/logout': 'the client signs out with it (logout)',
  'GET /alert/stream': 'the client follows it (follow)',
  'POST /detector/{id}/alert': 'other engines push their findings with it',
  'POST /detector/{id}/backtest': 'the page tries what is typed, with POST /detector/backtest',
  'POST /destination/confirm/{code}': 'the page behind the link of a mail',
  'POST /destination/{id}/callback': 'the pager calls it',
  'GET /calendar/{code}': 'calendars subscribe to it',
  'PUT /user/{id}/contact': 'programs set it for others; users set their own, with PUT /contact',
  'GET /link/{code}': 'the page behind the link of a notification, without a session',
  'POST /link/{code}': 'the page behind the link of a notification, without a session',
  'POST /contract/{id}/action/alert/search': 'POST /alert/search finds the same with a query',
  'POST /contract/{id}/trigger/alert/search': 'POST /alert/search finds the same with a query',
  'POST /contract/{id}/detector/alert/search': 'POST /alert/search finds the same with a query',
  'POST /project/{id}/alert/search': 'POST /alert/search finds the same with a query',
  'POST /action/alert/aggregation': 'POST /alert/aggregation counts the same with a query',
  'POST /contract/{id}/histogram': 'POST /alert/aggregation counts the same with a query',
  'POST /tenant/{id}/dashboard/usage': 'the telemetry shows the same counts, one metric at a time',
  'POST /contract/batch': 'programs create many at once; the console adds one at a time',
  'POST /detector/batch': 'programs create many at once; the console adds one at a time',
  'POST /trigger/batch': 'programs create many at once; the console adds one at a time',
  'POST /action/batch': 'programs create many at once; the console adds one at a time',
  'POST /label/batch': 'programs create many at once; the console imports CSV with POST /label/import',
  'POST /label/import/sanctions': 'lists are imported from the command line or by programs',
  'GET /incident': 'POST /incident/search finds the same',
  'GET /incident/{uid}': 'GET /incident/{uid}/story has the same record',
  'POST /alert/assign': 'an alert is assigned where it is read, one at a time',
  'PUT /score/{index}/{uid}': 'tags of score changes are for programs',
};

/** Lists read whole records, so that most single reads have no use. */
const readByList = /^GET \/(?!auth|chain|audit|share|telemetry)[a-z/]+\/\{id\}$/;

it('uses every endpoint on a page, or says why none does', async () => {
  const files = await sources(join(root, 'web', 'src'));
  const users = new Map((await endpoints()).map((endpoint) => [endpoint, usersOf(endpoint, files)]));
  expect(users.size).toBeGreaterThan(150);
  const unused = [...users].filter(([, pages]) => pages.length === 0).map(([endpoint]) => endpoint);
  expect(unused.filter((endpoint) => !(endpoint in reasons) && !readByList.test(endpoint))).toEqual([]);
});

it('gives no reason for an endpoint that is gone or that a page uses', async () => {
  const files = await sources(join(root, 'web', 'src'));
  const all = await endpoints();
  const stale = Object.keys(reasons).filter(
    (endpoint) => !all.includes(endpoint) || usersOf(endpoint, files).length > 0,
  );
  expect(stale).toEqual([]);
});

type File = { name: string; text: string };

/** An endpoint without a row in the access table does not start, so that the table has them all. */
async function endpoints(): Promise<string[]> {
  const table = await readFile(join(root, 'src', 'api', 'http', 'access.ts'), 'utf8');
  return Array.from(table.matchAll(/^ {2}'((?:GET|POST|PUT|DELETE) \/\S+)':/gm), ([, endpoint]) => endpoint!);
}

async function sources(folder: string): Promise<File[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })));
}

/** Files that call the endpoint by its path, or list records of its kind with forms. */
function usersOf(endpoint: string, files: readonly File[]): string[] {
  const [method = '', path = ''] = endpoint.split(' ');
  const called = new RegExp(
    `client\\s*\\.\\s*${method.toLowerCase()}\\(\\s*'${escapeText(path)}'|'${method}',\\s*'${escapeText(path)}'`,
  );
  return files
    .filter(({ text }) => called.test(text) || isOfKind(method, path, text))
    .map(({ name }) => name);
}

function isOfKind(method: string, path: string, text: string): boolean {
  const kind = path.replace(/\/(search|\{id\})$/, '');
  const isSearch = method === 'POST' && path === `${kind}/search`;
  if (isSearch && new RegExp(`searchRecords<[^(]*>\\(\\s*'${escapeText(kind)}'`).test(text)) return true;
  const isForm = text.includes(`path="${kind}"`);
  if (!isForm && !new RegExp(`RecordKind<[\\s\\S]*path: '${escapeText(kind)}',`).test(text)) return false;
  if (isSearch) return !isForm;
  return (
    (method === 'POST' && path === kind) || (['PUT', 'DELETE'].includes(method) && path === `${kind}/{id}`)
  );
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
