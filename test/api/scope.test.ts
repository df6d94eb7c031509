import { afterAll, beforeAll, expect, it } from 'vitest';
import { resources } from '../../src/api/endpoints/endpoints.ts';
import { Problem } from '../../src/model/errors.ts';
import { parseQuery } from '../../src/query/lucene/parseQuery.ts';
import { resolve } from '../../src/query/lucene/resolve.ts';
import { alertTable } from '../../src/store/search/documents/alertTable.ts';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { sized } from '../../testing/proveSize.ts';
import { type Answer, type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll, randomFinding, randomQuery } from '../support/randomAlerts.ts';
import { together } from '../support/together.ts';
import { randomItems } from './support/randomItems.ts';
import { randomClause } from './support/scopeClauses.ts';

const expressions = sized(400, 20_000);
const dayMs = 86_400_000;
/** In the middle of a month, so that all alerts are in one partition and the test is quick. */
const from = Date.UTC(2026, 5, 10);
/** In every text of the other tenant's alerts, and in no other. */
const canary = 'ForeignCanary';
const ownCount = 40;

let api: TestApi;
let own: World;
let foreign: World;
let viewer: string;

beforeAll(async () => {
  api = await startTestApi();
  [own, foreign] = [await createWorld(api), await createWorld(api)];
  viewer = await api.token(own.tenant.id, 'tenant-viewer');
  const random = createRandom('alerts of two tenants');
  const raise = (world: World, count: number, mark: string) =>
    raiseAll(
      api.store,
      Array.from({ length: count }, (_, n) => {
        const { tenant, project, contract } = world;
        const place = { tenantId: tenant.id, projectId: project.id, contractId: contract.id };
        const finding = randomFinding(random, place, n, from, from + 3 * dayMs);
        const { name, message, eid, meta, tags } = finding;
        if (mark === '') return finding;
        return {
          ...finding,
          name: `${name} ${mark}`,
          message: `${message} ${mark}`,
          eid: `${eid}${mark}`,
          tags: [...tags, mark],
          meta: { ...meta, token: mark },
        };
      }),
    );
  await raise(own, ownCount, '');
  await raise(foreign, 60, canary);
});
afterAll(async () => {
  await api.stop();
});

/** What is sent, how many expressions are in it, and what must hold of an answer. */
type Ask = { path: string; body: Json; count: number; check: (body: Json) => void };

it(`finds nothing of another tenant by ${expressions.toLocaleString('en-US')} random expressions`, {
  timeout: 600_000,
}, async () => {
  const random = createRandom('expressions of one tenant');
  const kinds = [searchAlerts, searchAlerts, searchAlerts, aggregate, histogram, usage, searchRecords];
  const asks: Ask[] = [];
  // All of them beforehand: in which order they are answered is not for the seed to say.
  for (let left = expressions; left > 0; left -= asks.at(-1)!.count) asks.push(random.pick(kinds)(random));
  const answered = { expressions: 0, refused: 0 };
  const queue = asks.values();
  await together(6, async () => {
    for (const ask of queue) await expectOwn(ask, answered);
  });
  expect(answered.expressions + answered.refused).toBeGreaterThanOrEqual(expressions);
  expect(answered.refused).toBeLessThan(expressions / 100);
});

async function expectOwn(ask: Ask, answered: { expressions: number; refused: number }): Promise<void> {
  const answer: Answer = await api.call('POST', ask.path, ask.body, { token: viewer });
  const place = `${ask.path} ${JSON.stringify(ask.body)}: ${answer.text.slice(0, 2000)}`;
  expect([200, 400], place).toContain(answer.status);
  if (answer.status === 400) {
    // The time limit of a statement, on a machine that may be busy with others, or what the queries of a request cost together.
    expect(answer.body.detail, place).toMatch(/takes too long|the query costs \d+ and may cost \d+/);
    answered.refused += ask.count;
    return;
  }
  expect(answer.text, place).not.toMatch(/foreigncanary/i);
  try {
    ask.check(answer.body);
  } catch (error) {
    throw new Error(place, { cause: error });
  }
  answered.expressions += ask.count;
}

/** Everything, in the words of the query; the scope alone must keep the other tenant out. */
function wide(random: Random): string {
  const all = random.pick(['*:*', `tenantId:${foreign.tenant.id}`, 'contractId:>0', 'NOT uid:x', canary]);
  return `(${readable(random)}) OR ${all} OR *:*`;
}

function query(random: Random): string {
  return random.chance(0.5) ? wide(random) : readable(random);
}

/** A query that is refused would tell nothing. */
function readable(random: Random): string {
  for (;;) {
    const text = randomQuery(random);
    try {
      resolve(parseQuery(text), alertTable.mapping, from);
      return text;
    } catch (error) {
      expect(error).toBeInstanceOf(Problem);
    }
  }
}

const sortable = [...alertTable.mapping.fields.values()]
  .filter(({ type }) => type !== 'text')
  .map(({ name }) => name)
  .concat('uid', 'meta.amount', 'meta.token.keyword', 'meta.nested.note.keyword');

function searchAlerts(random: Random): Ask {
  const sort = Array.from({ length: random.integer(1, 3) }, () => ({
    field: random.pick(sortable),
    order: random.pick(['asc', 'desc']),
  }));
  const paths = ['alert/search', `contract/${own.contract.id}/detector/alert/search`];
  return {
    path: random.pick([...paths, `project/${own.project.id}/alert/search`]),
    body: {
      query: query(random),
      size: random.pick([0, 3, 1000]),
      from: random.pick([0, 0, 5]),
      ...(random.chance(0.5) ? { sort } : {}),
    },
    count: 1,
    check: ({ data, total }) => {
      expect(data.filter(({ tenantId }: Json) => tenantId !== own.tenant.id)).toEqual([]);
      expect(total).toBeLessThanOrEqual(ownCount);
    },
  };
}

function aggregate(random: Random): Ask {
  const items = Array.from({ length: 10 }, (_, n) => {
    const [nested] = randomItems(random, () => wide(random), 4);
    return { name: `i${n}`, field: 'tenantId', query: query(random), aggregation: [nested!] };
  });
  return {
    path: 'alert/aggregation',
    body: { aggregation: items, query: wide(random), trackTotalCount: 10_000 },
    count: items.length,
    check: ({ data, total }) => {
      expect(total).toBe(ownCount);
      for (const { name } of items) {
        expect(data[name].count).toBeLessThanOrEqual(ownCount);
        const keys: number[] = data[name].buckets.map(({ key }: Json) => key);
        expect(keys.filter((key) => key !== own.tenant.id)).toEqual([]);
      }
    },
  };
}

function range(random: Random): Json {
  return { from, to: from + 3 * dayMs, interval: random.pick(['1d', '6h', '1w', '90m']) };
}

function histogram(random: Random): Ask {
  const isWide = random.chance(0.5);
  return {
    path: `contract/${own.contract.id}/histogram`,
    body: { ...range(random), query: isWide ? wide(random) : readable(random) },
    count: 1,
    check: ({ total }) => {
      const sum = Object.values<number>(total).reduce((a, b) => a + b, 0);
      if (isWide) expect(sum).toBe(ownCount);
      else expect(sum).toBeLessThanOrEqual(ownCount);
    },
  };
}

function usage(random: Random): Ask {
  return {
    path: `tenant/${own.tenant.id}/dashboard/usage`,
    body: { ...range(random), query: wide(random) },
    count: 1,
    check: ({ data }) => {
      const sum = data.reduce((all: number, { bucket }: Json) => all + bucket.alerts.total, 0);
      expect(sum).toBe(ownCount);
    },
  };
}

const records = resources.filter(({ kind }) =>
  ['contract', 'project', 'detector', 'trigger', 'action', 'wallet', 'destination'].includes(kind.table.kind),
);

function searchRecords(random: Random): Ask {
  const { kind, endpoints } = random.pick(records);
  const { path } = endpoints.find((endpoint) => endpoint.path.endsWith('/search'))!;
  return {
    path: path.slice(1),
    body: { where: randomClause(random, kind.table.members), size: 10_000, trackTotal: true },
    count: 1,
    check: ({ data, total }) => {
      expect(total).toBe(data.length);
      expect(
        data.filter(({ tenantId }: Json) => tenantId !== undefined && tenantId !== own.tenant.id),
      ).toEqual([]);
    },
  };
}
