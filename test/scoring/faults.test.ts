import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { expectProblem, faultCode } from '../support/expectProblem.ts';
import { type ScoreWorld, startScoreWorld } from './support/scoreWorld.ts';

let world: ScoreWorld;
beforeAll(async () => {
  world = await startScoreWorld();
  world.work();
});
afterEach(() => expect(world.errors).toEqual([]));
afterAll(() => world.stop());

const groupScript = "['security']";
const faultOf = (instanceId: number): Promise<Json> =>
  until(async () => (await world.score(instanceId)).fault);

describe('a script that fails', () => {
  it('stops its instance with a visible fault, loses nothing, and continues in order when it is fixed', async () => {
    const scoreScript = 'const by = e.meta.by;\nreturn by.size ?? -by';
    const { licenseId, instanceId } = await world.license({ groupScript, scoreScript });
    const bystander = await world.license({ groupScript, scoreScript: '-1' });
    const [, uid] = await world.push({ meta: { by: 1 } }, {}, { meta: { by: 3 } });
    const fault = {
      script: 'scoreScript',
      code: 'thrown',
      message: "line 2, column 10: cannot read property 'size' of undefined",
      line: 2,
      column: 10,
      alertId: uid,
    };
    expect(await faultOf(instanceId)).toMatchObject(fault);
    expect(world.faults.at(-1)).toMatchObject(fault);
    await world.push({ meta: { by: 4 } });
    expect(await world.score(instanceId)).toMatchObject({
      state: 'STOPPED',
      waiting: 3,
      data: [{ score: 99 }],
    });
    expect(await world.changes(bystander.instanceId)).toHaveLength(4);
    await world.ok('PUT', `license/${licenseId}`, { scoreScript: '-(e.meta.by ?? 2)' });
    expect((await world.changes(instanceId)).map(({ i, scoreChange }) => [i, scoreChange])).toEqual([
      [1, -1],
      [2, -2],
      [3, -3],
      [4, -4],
    ]);
    expect(await world.score(instanceId)).toMatchObject({ state: 'SCORING', fault: null, waiting: 0 });
  });

  it.each([
    ['for (;;);', groupScript, 'scoreScript', 'time'],
    // More than there is at once, so that the time limit of a busy machine does not come first.
    ['"x".repeat(3e7)', groupScript, 'scoreScript', 'memory'],
    ['0 / 0', groupScript, 'scoreScript', 'result'],
    ['"much"', groupScript, 'scoreScript', 'result'],
    ['({ change: 1, key: 2 })', groupScript, 'scoreScript', 'result'],
    ['({ by: 1 })', groupScript, 'scoreScript', 'result'],
    ['-1', '[1]', 'groupScript', 'result'],
    ['-1', '({})', 'groupScript', 'result'],
    ['-1', 'e.meta.none.such', 'groupScript', 'thrown'],
  ])('or loops or gives nonsense stops its instance: %s, %s', async (scoreScript, groups, script, code) => {
    const { instanceId } = await world.license({ groupScript: groups, scoreScript });
    await world.push({});
    expect(await faultOf(instanceId)).toMatchObject({ script, code });
    expect((await world.score(instanceId)).waiting).toBe(1);
    await world.ok('DELETE', `instance/${instanceId}`);
  });

  it('a script that fails because it names a group that the license lacks continues when the license has it', async () => {
    const { licenseId, instanceId } = await world.license({ groupScript, scoreScript: '-1' }, ['compliance']);
    await world.push({});
    expect((await faultOf(instanceId)).message).toContain('the license has compliance');
    await world.ok('POST', 'score/group', { licenseId, name: 'security' });
    expect(await world.changes(instanceId)).toMatchObject([{ scoreGroup: 'security', score: 99 }]);
  });

  it('is retried on request, by anyone who may change the instance', async () => {
    const { instanceId } = await world.license({ groupScript, scoreScript: 'e.meta.no.pe' });
    await world.push({});
    const before = (await faultOf(instanceId)).at;
    const viewer = await world.token(world.tenantId, 'tenant-manager');
    expect((await world.call('POST', `instance/${instanceId}/resume`, {}, { token: viewer })).status).toBe(
      403,
    );
    await world.ok('POST', `instance/${instanceId}/resume`);
    await until(async () => (await faultOf(instanceId)).at > before);
    const { data } = await world.ok('GET', 'audit?size=5');
    expect(data.map(({ action }: Json) => action)).toContain('instance.resume');
  });
});

describe('a license', () => {
  it.each([
    [{ scoreScript: 'const x = ;\n1' }, '/scoreScript', 'script', 'line 1, column 11'],
    [{ groupScript: '[' }, '/groupScript', 'script', 'line 1, column 2'],
    [{ params: '[]' }, '/params', 'params', 'JSON object'],
    [{ params: '{"min":100}' }, '/params', 'params', 'min'],
    [{ params: '{"min":5,"max":1}' }, '/params', 'params', 'smaller'],
    [{ params: '{"start":101}' }, '/params', 'params', 'outside'],
    [{ params: '{"max":"9"}' }, '/params', 'params', 'number'],
    [{ params: '{"tick":"1 s"}' }, '/params', 'params', 'once a minute'],
    [{ params: '{"tick":"soon"}' }, '/params', 'params', 'duration'],
  ])('a license with a fault is refused when it is saved: %j', async (members, pointer, code, words) => {
    const answer = await world.call('POST', 'license', { name: 'Bad', version: '1', ...members });
    const problem = expectProblem(answer, 400, pointer);
    expect(faultCode(problem, pointer)).toBe(code);
    expect(JSON.stringify(problem)).toContain(words);
  });

  it('does not change under a running instance, which keeps its version until it is moved to another', async () => {
    const { licenseId, instanceId } = await world.license({ groupScript, scoreScript: '-1' });
    for (const change of [{ scoreScript: '-2' }, { params: '{"max":9}' }, { version: 'x' }]) {
      const answer = await world.call('PUT', `license/${licenseId}`, change);
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
      expect(answer.body.detail).toContain('Create a license of the same name with another version');
    }
    await world.ok('PUT', `license/${licenseId}`, { icon: 'https://example.com/i.png', scoreScript: '-1' });
    const next = await world.ok('POST', 'license', {
      name: 'Score',
      version: 'next',
      groupScript,
      scoreScript: '-2',
    });
    await world.push({});
    expect(await world.changes(instanceId)).toMatchObject([{ licenseId, scoreChange: -1 }]);
    const stranger = await world.ok('POST', 'license', { name: 'Other', version: '1' });
    const refused = await world.call('PUT', `instance/${instanceId}`, { licenseId: stranger.id });
    expectProblem(refused, 422, '/licenseId');
    const moved = await world.ok('PUT', `instance/${instanceId}`, { licenseId: next.id });
    expect(moved.license).toMatchObject({ id: next.id, version: 'next' });
    await world.push({});
    expect((await world.changes(instanceId)).at(-1)).toMatchObject({ licenseId: next.id, scoreChange: -2 });
  });
});
