import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../testing/startTestApi.ts';
import { type ScoreWorld, startScoreWorld } from '../scoring/support/scoreWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { observe } from './support/observe.ts';

let world: ScoreWorld;
let strangers: { user: string; organisation: string };
let instanceId: number;
let licenseId: number;
/** The three alerts that were scored, by their times. */
const times = [3, 2, 1].map((hours) => Date.now() - hours * 3_600_000);

beforeAll(async () => {
  const made = await startScoreWorld();
  world = { ...made, ...observe(made), stop: made.stop };
  const organisation = await world.ok('POST', 'organisation', { name: 'Others' });
  const tenant = await world.ok('POST', 'tenant', { name: 'Others', organisationId: organisation.id });
  strangers = {
    user: await world.token(tenant.id, 'tenant-manager'),
    organisation: await world.token(tenant.id, 'organisation-manager'),
  };
  world.work();
  const scripts = { groupScript: "e.meta.groups ?? ['a']", scoreScript: 'e.meta.by' };
  ({ instanceId, licenseId } = await world.license({ params: '{"start":50}', ...scripts }, ['a', 'b']));
  await world.push(
    { timestamp: times[0], meta: { by: -10 } },
    { timestamp: times[2], meta: { by: -20, groups: ['a', 'b'] } },
    // It came late.
    { timestamp: times[1], meta: { by: 5 } },
  );
  await world.changes(instanceId);
});
afterAll(() => world.stop());

describe('GET /instance/{id}/score', () => {
  it('shows the present score of every group', async () => {
    const { data, ...rest } = await world.score(instanceId);
    expect(rest).toMatchObject({ state: 'SCORING', licenseId, fault: null, waiting: 0 });
    expect(data).toEqual([
      { scoreGroup: 'a', title: null, score: 25, min: 0, max: 100, changes: 3, changedAt: times[2] },
      { scoreGroup: 'b', title: null, score: 30, min: 0, max: 100, changes: 1, changedAt: times[2] },
    ]);
  });

  it('draws the line of the scores by the time of the alerts, from the start to the present', async () => {
    const from = times[0]! - 1;
    const { history } = await world.score(instanceId, `?from=${from}&to=${from + 4 * 3_600_000}&points=4`);
    expect(history).toEqual([
      { ts: from, bucket: { a: 50, b: 50 } },
      { ts: from + 3_600_000, bucket: { a: 40, b: 50 } },
      { ts: from + 2 * 3_600_000, bucket: { a: 45, b: 50 } },
      { ts: from + 3 * 3_600_000, bucket: { a: 25, b: 30 } },
    ]);
    const part = await world.score(instanceId, `?from=${times[1]! - 1}&to=${times[1]! + 1}&points=1`);
    expect(part.history.map(({ bucket }: Json) => bucket.a)).toEqual([40, 45]);
    expectProblem(await world.call('GET', `instance/${instanceId}/score?from=5&to=5`), 400, '/query/to');
  });

  it('has no more points than were asked for', async () => {
    const { history } = await world.score(instanceId, '?points=1');
    expect(history).toHaveLength(2);
    expect((await world.call('GET', `instance/${instanceId}/score?points=1001`)).status).toBe(400);
  });
});

describe('PUT /score/{index}/{uid}', () => {
  it('tags a change, which a search finds by it from then on', async () => {
    const [first] = await world.changes(instanceId);
    const path = `score/${first!.index}/${first!.uid}`;
    const viewer = await world.token(world.tenantId, 'tenant-user');
    const tagged = await world.ok('PUT', path, { tags: ['viewed'] }, { token: viewer });
    expect(tagged).toEqual({ ...first, tags: ['viewed'] });
    const search = (query: string) =>
      world.ok('POST', `instance/${instanceId}/score/search`, { query }).then(({ data }) => data);
    expect(await search('tags:viewed')).toEqual([tagged]);
    await world.ok('PUT', path, { tags: [] });
    expect(await search('tags:viewed')).toEqual([]);
    expect(await world.ok('PUT', path, {})).toEqual({ ...first, tags: [] });
  });

  it('takes a change back as it was read, and refuses other values and versions', async () => {
    const [first] = await world.changes(instanceId);
    const path = `score/${first!.index}/${first!.uid}`;
    const { headers, body } = await world.call('PUT', path, { ...first, tags: ['echo'] });
    expect(body).toEqual({ ...first, tags: ['echo'] });
    const refused = await world.call('PUT', path, { score: 1e6, alertName: 'Other' });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      ['/score', '/alertName'].map((pointer) => expect.objectContaining({ pointer, code: 'read-only' })),
    ]);
    const sent = { headers: { 'if-match': headers.get('etag')! } };
    expect((await world.call('PUT', path, { tags: [] }, sent)).status).toBe(200);
    expect((await world.call('PUT', path, { tags: ['late'] }, sent)).status).toBe(412);
    expect((await world.changes(instanceId))[0]).toEqual({ ...first, tags: [] });
  });

  it('is 404, byte for byte, for a change of others, an unknown one and the wrong index', async () => {
    const [first] = await world.changes(instanceId);
    const unknown = `${first!.uid.slice(0, -4)}0000`;
    for (const token of [strangers.user, strangers.organisation]) {
      const answers = await Promise.all(
        [`${first!.index}/${first!.uid}`, `${first!.index}/${unknown}`, `${first!.index}/x`].map((place) =>
          world.call(
            'PUT',
            `score/${place}`,
            { tags: ['x'] },
            { token, headers: { 'x-request-id': 'twin' } },
          ),
        ),
      );
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.detail}`))).toEqual(
        new Set(['404 There is no such score change.']),
      );
    }
    expect((await world.call('PUT', `score/score-2001.01/${first!.uid}`, { tags: [] })).status).toBe(404);
    expect((await world.changes(instanceId))[0]).toEqual({ ...first, tags: [] });
  });
});

describe('POST /license/{id}/try', () => {
  const attempt = (body: Json = {}) =>
    world.ok('POST', `license/${licenseId}/try`, { projectId: world.projectId, ...body });

  it('shows what the scores would have been, by the scripts of the license or by proposed ones, and stores nothing', async () => {
    const before = await world.changes(instanceId);
    expect(await attempt()).toMatchObject({
      events: 3,
      isComplete: true,
      fault: null,
      groups: [
        { scoreGroup: 'a', score: 25 },
        { scoreGroup: 'b', score: 30 },
      ],
      data: [
        { type: 'alert', timestamp: times[0], scoreGroup: 'a', score: 40, scoreChange: -10 },
        { timestamp: times[1], score: 45 },
        { timestamp: times[2], score: 25 },
        { scoreGroup: 'b', score: 30 },
      ],
    });
    const proposed = await attempt({
      params: '{"start":10,"tick":"1 hour"}',
      groupScript: "'b'",
      scoreScript: "e.type === 'tick' ? 1 : -2",
      from: times[0],
    });
    expect(proposed.groups).toContainEqual({ scoreGroup: 'a', score: 10 });
    expect(proposed.data.filter(({ type }: Json) => type === 'alert')).toHaveLength(3);
    expect(proposed.data.filter(({ type }: Json) => type === 'tick').length).toBeGreaterThanOrEqual(2);
    expect(await world.changes(instanceId)).toEqual(before);
  });

  it('ends where a script fails, and says where', async () => {
    const { events, isComplete, fault } = await attempt({ scoreScript: 'e.meta.groups.length' });
    expect([events, isComplete]).toEqual([0, false]);
    expect(fault).toMatchObject({ script: 'scoreScript', code: 'thrown', line: 1, at: times[0] });
    const bad = { projectId: world.projectId, scoreScript: '(' };
    expectProblem(await world.call('POST', `license/${licenseId}/try`, bad), 400, '/scoreScript');
  });

  it('sees only projects that the caller sees', async () => {
    const shared = await world.ok('POST', 'license', { name: 'For all', version: '1', scoreScript: '-1' });
    const answers = await Promise.all(
      [world.projectId, 987_654].map((projectId) =>
        world.call('POST', `license/${shared.id}/try`, { projectId }, { token: strangers.user }),
      ),
    );
    for (const answer of answers) expectProblem(answer, 422, '/projectId');
  });
});
