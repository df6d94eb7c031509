import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BareRoute } from './bareServer.ts';
import type { Shot } from './load.ts';
import type { Recording } from './recordStatements.ts';
import type { Tenant } from './seed.ts';

/** One kind of request, to Vigil and to the bare server, a shot for each connection. */
export type Case = { name: string; ours: Shot[]; bare: Shot[]; routes: BareRoute[] };
type Call = { method: 'GET' | 'POST' | 'PUT'; path: string; body?: object };

const connections = 16;
const pageConnections = 4;

/** Sends each kind of request once to a recording server, and lets the bare server replay what it did. */
export async function createCases(
  recorder: FastifyInstance,
  take: () => Recording,
  { large, small }: { large: Tenant; small: Tenant[] },
): Promise<Record<'read' | 'search' | 'page' | 'create' | 'update', Case>> {
  async function record(tenant: Tenant, { method, path, body }: Call): Promise<Recording> {
    take();
    const reply = await recorder.inject({
      method,
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${tenant.token}` },
      ...(body === undefined ? {} : { payload: body }),
    });
    if (reply.statusCode >= 300) throw new Error(`${method} ${path} was refused: ${reply.body}`);
    return take();
  }

  /** The same search on every connection. */
  async function search(name: string, url: string, body: object, count: number): Promise<Case> {
    const call: Call = { method: 'POST', path: '/contract/search', body };
    return {
      name,
      ours: repeat(count, () => ({ request: toHttp(call, large.token) })),
      bare: repeat(count, () => ({ request: toHttp({ ...call, path: url }) })),
      routes: [{ method: 'POST', url, recording: await record(large, call) }],
    };
  }

  const read = { method: 'GET', path: '/contract/<id>' } as const;
  const sample = large.contracts.from + 4321;
  const writers = small.slice(0, connections);

  return {
    read: {
      name: 'read one',
      ours: repeat(connections, () => ({ request: toHttp(read, large.token), ids: large.contracts })),
      bare: repeat(connections, () => ({
        request: toHttp({ ...read, path: '/read/<id>' }),
        ids: large.contracts,
      })),
      routes: [
        {
          method: 'GET',
          url: '/read/:id',
          recording: await record(large, { ...read, path: `/contract/${sample}` }),
          replace: (request) => new Map([[sample, idOf(request)]]),
        },
      ],
    },
    search: await search(
      'search 100 records',
      '/search',
      { where: "chainUid = 'ethereum' and name like 'Contract 1%'", size: 100 },
      connections,
    ),
    page: await search('search 10,000 records', '/page', { size: 10_000 }, pageConnections),
    create: await writes('create', writers, createCall, async (tenant, index) => {
      const recording = await record(tenant, createCall(tenant, hex(index)));
      const replace = (request: FastifyRequest) => {
        const address = (request.body as { address: string }).address;
        return new Map([[`0x${hex(index)}`, address]]);
      };
      return { method: 'POST', url: `/create/${index}`, recording, replace };
    }),
    update: await writes('update', writers, updateCall, async (tenant, index) => {
      const recording = await record(tenant, updateCall(tenant, 'name', tenant.contracts.from));
      const replace = (request: FastifyRequest) =>
        new Map<unknown, unknown>([
          [tenant.contracts.from, idOf(request)],
          ['name', (request.body as { name: string }).name],
        ]);
      return { method: 'PUT', url: `/update/${index}/:id`, recording, replace };
    }),
  };
}

/** Each connection writes for a tenant of its own: the writes of one tenant wait for each other. */
async function writes(
  name: string,
  tenants: readonly Tenant[],
  toCall: (tenant: Tenant) => Call,
  toRoute: (tenant: Tenant, index: number) => Promise<BareRoute>,
): Promise<Case> {
  const routes: BareRoute[] = [];
  for (const [index, tenant] of tenants.entries()) routes.push(await toRoute(tenant, index));
  return {
    name,
    ours: tenants.map((tenant) => ({
      request: toHttp(toCall(tenant), tenant.token),
      ids: tenant.contracts,
    })),
    bare: tenants.map((tenant, index) => ({
      request: toHttp({ ...toCall(tenant), path: routes[index]!.url.replace(':id', '<id>') }),
      ids: tenant.contracts,
    })),
    routes,
  };
}

function createCall(tenant: Tenant, address = '<address>'): Call {
  return {
    method: 'POST',
    path: '/contract',
    body: {
      projectId: tenant.projectId,
      name: 'Vault token',
      chainUid: 'ethereum',
      address: `0x${address}`,
      category: 'erc20',
      tags: ['token', 'bench'],
    },
  };
}

function updateCall(_tenant: Tenant, name = '<address>', id: number | string = '<id>'): Call {
  return { method: 'PUT', path: `/contract/${id}`, body: { name, tags: ['token', 'changed'] } };
}

function idOf(request: FastifyRequest): number {
  return Number((request.params as { id: string }).id);
}

function hex(index: number): string {
  return String(index + 1).padStart(40, '0');
}

function repeat<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

/** With a token the path lies below the API's root. */
function toHttp({ method, path, body }: Call, token?: string): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${token === undefined ? '' : '/api/v1'}${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === undefined
      ? []
      : ['content-type: application/json', `content-length: ${text.replaceAll('<address>', hex(0)).length}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}
