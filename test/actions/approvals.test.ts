import { beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { addUser, type Person } from './support/addUsers.ts';
import { useGuardedVault } from './support/guardedVault.ts';

const chain = useGuardedVault();
const value = (text: string) => ({ params: [{ name: 'value', value: text }] });
let anna: Person;
let bert: Person;
let carl: Person;
let wallet: Json;
let action: Json;
let detectorId: number;

const send = (person: Person, method: 'POST' | 'PUT' | 'DELETE' | 'GET', path: string, body?: Json) =>
  chain.vigil.call(method, path, body, { token: person.token });
const approve = (person: Person, id: number) => send(person, 'POST', `approval/${id}/approve`);

/** Asks as Anna, approves as Bert, and answers what the request answered. */
async function agree(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: Json): Promise<Json> {
  const asked = await send(anna, method, path, body);
  expect(asked.status, JSON.stringify(asked.body)).toBe(202);
  const done = await approve(bert, asked.body.id);
  expect(done.status, JSON.stringify(done.body)).toBe(200);
  return done.body.reply;
}

/** The request waits, and is withdrawn again so that the next test finds everything as it was. */
async function expectHeld(person: Person, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: Json) {
  const asked = await send(person, method, path, body);
  expect(asked.status, `${method} ${path} ${JSON.stringify(asked.body)}`).toBe(202);
  expect((await send(person, 'POST', `approval/${asked.body.id}/reject`)).status).toBe(200);
  return asked.body.changes as Json[];
}

const changeOf = (changes: Json[], kind: string): Json => changes.find((one) => one.kind === kind)!;
const memberOf = (change: Json, name: string): Json => change.members.find((one: Json) => one.name === name);

beforeAll(async () => {
  const { vigil } = chain;
  anna = await addUser(vigil, 'tenant-manager');
  bert = await addUser(vigil, 'tenant-manager');
  carl = await addUser(vigil, 'tenant-user');
  wallet = await chain.addWallet({ requireApproval: true });
  detectorId = await chain.addSource();
  action = await agree('POST', 'action', {
    contractId: chain.contractId,
    walletId: wallet.id,
    name: 'Set',
    funcSignature: 'setValue(uint256 value)',
    fireAt: 'head',
    ...value('1'),
    detectors: [{ detectorId }],
  });
});

const binding = () => ({ actionId: action.id, scriptParams: { value: '"999"' } });
const alertWith = (actions: Json[]) => ({ severity: 'HIGH', name: 'Paid', message: 'Paid.', actions });
const triggerWith = (actions: Json[]) => ({
  contractId: chain.contractId,
  name: 'Payments',
  triggerType: 'NATIVE_TRANSFER',
  alerts: [alertWith(actions)],
});

describe('binding an approved action of a guarded wallet', () => {
  it('asks a second user, also when a trigger does it', async () => {
    const changes = await expectHeld(carl, 'POST', 'trigger', triggerWith([{ actionId: action.id }]));
    expect(changes.map(({ change, kind, id, name }) => [change, kind, id, name])).toEqual([
      ['ADDED', 'trigger', null, 'Payments'],
      ['ADDED', 'trigger alert', null, 'Paid'],
      ['ADDED', 'trigger alert binding', null, null],
    ]);
    const bound = changeOf(changes, 'trigger alert binding');
    expect(memberOf(bound, 'action').after).toMatchObject({ kind: 'action', id: action.id, name: 'Set' });
    expect(memberOf(bound, 'firedBy').after).toMatchObject({ kind: 'trigger alert', id: null, name: 'Paid' });
    const plain = await send(carl, 'POST', 'trigger', triggerWith([]));
    expect(plain.status).toBe(201);
    await expectHeld(carl, 'PUT', `trigger/${plain.body.id}`, {
      alerts: [{ id: plain.body.alerts[0].id, actions: [{ actionId: action.id }] }],
    });
    const found = await expectHeld(carl, 'POST', 'detector', {
      contractId: chain.contractId,
      name: 'Mine',
      schemaName: 'pause_state',
      source: 'EXTERNAL',
      actions: [{ actionId: action.id }],
    });
    expect(memberOf(changeOf(found, 'detector'), 'source').after).toBe('EXTERNAL');
  });

  it.each([
    [
      'detector',
      ['detector', 'detector binding'],
      (name: string, actions: Json[]) => ({
        contractId: chain.contractId,
        name,
        schemaName: 'pause_state',
        source: 'EXTERNAL',
        actions,
      }),
    ],
    [
      'trigger',
      ['trigger', 'trigger alert', 'trigger alert binding'],
      (name: string, actions: Json[]) => ({ ...triggerWith(actions), name }),
    ],
  ] as const)(
    'asks a second user when one %s of a batch does it, and then creates the whole batch once',
    async (kind, kinds, recordOf) => {
      const { vigil } = chain;
      const countOf = async () => {
        const found = await vigil.ok('POST', `${kind}/search`, { where: "name like 'Batch %'", size: 100 });
        return found.data.length as number;
      };
      const before = await countOf();
      const free = await chain.addAction(value('1'));
      const records = [
        recordOf(`Batch ${kind} 1`, [{ actionId: free.id }]),
        recordOf(`Batch ${kind} 2`, [{ actionId: action.id }]),
        recordOf(`Batch ${kind} 3`, []),
      ];
      const asked = await send(carl, 'POST', `${kind}/batch`, { records });
      expect(asked.status, JSON.stringify(asked.body)).toBe(202);
      expect(asked.body).toMatchObject({ path: `/${kind}/batch`, walletId: wallet.id, recordId: null });
      // A batch has megabytes, and a list of approvals has hundreds of them.
      expect(asked.body.body).toEqual({ records: 3 });
      expect(
        asked.body.changes.map(({ change, kind: changed, name }: Json) => [change, changed, name]),
      ).toEqual(
        kinds.map((changed) => [
          'ADDED',
          changed,
          changed === kind ? `Batch ${kind} 2` : changed === 'trigger alert' ? 'Paid' : null,
        ]),
      );
      expect(await countOf()).toBe(before);
      const closed = await send(carl, 'POST', `${kind}/batch`, {
        records: [records[2], recordOf('Batch closed', [binding()])],
      });
      expect(closed.status).toBe(422);
      expect(closed.body.errors[0].pointer).toMatch(/^\/records\/1\/.*scriptParams\/value$/);
      const answers = await Promise.all([approve(bert, asked.body.id), approve(bert, asked.body.id)]);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
      const { reply } = answers.find(({ status }) => status === 200)!.body;
      expect(reply.data.map(({ name }: Json) => name)).toEqual(records.map(({ name }) => name));
      expect(await countOf()).toBe(before + 3);
      const plain = { records: [recordOf(`Batch ${kind} 4`, [{ actionId: free.id }])] };
      expect((await send(carl, 'POST', `${kind}/batch`, plain)).status).toBe(201);
    },
  );

  it('asks a second user when a batch adds an action of the wallet, and not for what leaves the wallet alone', async () => {
    const free = await chain.addWallet();
    const actionOf = (name: string, walletId: number) => ({
      contractId: chain.contractId,
      walletId,
      name,
      funcSignature: 'setValue(uint256 value)',
      fireAt: 'head',
      ...value('1'),
    });
    const mixed = [actionOf('Free', free.id), actionOf('Guarded', wallet.id)];
    const changes = await expectHeld(carl, 'POST', 'action/batch', { records: mixed });
    expect(changes.map(({ change, kind, name }) => [change, kind, name])).toEqual([
      ['ADDED', 'action', 'Guarded'],
    ]);
    const made = await send(carl, 'POST', 'action/batch', { records: mixed.slice(0, 1) });
    expect([made.status, made.body.data?.length]).toEqual([201, 1]);
    const { projectId } = await chain.vigil.ok('GET', `contract/${chain.contractId}`);
    const contract = { projectId, chainUid: 'anvil', name: 'Beside', address: `0x${'7'.repeat(40)}` };
    expect((await send(carl, 'POST', 'contract/batch', { records: [contract] })).status).toBe(201);
    const key = await chain.vigil.token(chain.vigil.tenantId, 'tenant-user');
    const byKey = await chain.vigil.call('POST', 'action/batch', { records: mixed }, { token: key });
    expect([byKey.status, byKey.body.detail]).toEqual([403, expect.stringContaining('belongs to no user')]);
  });

  it('cannot fill a parameter that the action does not leave open', async () => {
    for (const [method, path, body, pointer] of [
      ['POST', 'trigger', triggerWith([binding()]), '/alerts/0/actions/0/scriptParams/value'],
      ['PUT', `detector/${detectorId}`, { actions: [binding()] }, '/actions/0/scriptParams/value'],
      [
        'PUT',
        `action/${action.id}`,
        { detectors: [{ detectorId, scriptParams: { value: '2' } }] },
        '/detectors/0/scriptParams/value',
      ],
    ] as const) {
      const refused = await send(carl, method, path, body);
      expect([refused.status, refused.body.errors?.[0].pointer]).toEqual([422, pointer]);
      expect(refused.body.detail).toContain('does not leave value open');
    }
  });
});

describe('what an action leaves open', () => {
  it('is filled by scripts within the bounds that were approved, and fails beyond them', async () => {
    const source = await chain.addSource();
    const bounded = await agree('POST', 'action', {
      contractId: chain.contractId,
      walletId: wallet.id,
      name: 'Bounded',
      funcSignature: 'setValue(uint256 value)',
      fireAt: 'head',
      ...value('1'),
      openParams: [{ name: 'value', min: '5', max: '10' }],
      detectors: [{ detectorId: source, scriptParams: { value: 'e.meta.number' } }],
    });
    const read = await chain.vigil.ok('GET', `action/${bounded.id}`);
    expect(read.openParams).toEqual([{ name: 'value', min: '5', max: '10' }]);
    expect(bounded).not.toHaveProperty('openParams');
    await chain.alert(source, { meta: { number: 7 } });
    expect((await chain.ended(bounded))[0]).toMatchObject({ state: 'CONFIRMED' });
    await chain.alert(source, { meta: { number: 11 } });
    expect((await chain.ended(bounded, 2))[0]).toMatchObject({
      state: 'FAILED',
      reason:
        'The script of value gives 11, which is beyond the openParams that were approved with the action.',
      transactions: [],
    });
    const alerts = await chain.outcomeAlerts(bounded);
    expect(alerts.at(-1)!.message).toContain('beyond the openParams');
  });

  it('binds what was stored before as well: the intent fails and says why', async () => {
    const source = await chain.addSource();
    const open = await chain.addWallet();
    const old = await chain.addAction({
      walletId: open.id,
      ...value('1'),
      detectors: [{ detectorId: source, scriptParams: { value: '"999"' } }],
    });
    await chain.vigil.ok('PUT', `wallet/${open.id}`, { requireApproval: true });
    const uid = await chain.alert(source);
    expect((await chain.ended(old))[0]).toMatchObject({
      state: 'FAILED',
      reason: expect.stringContaining('does not leave value open'),
      transactions: [],
    });
    const seen = await chain.vigil.ok('POST', `action/${old.id}/simulate`, { alertUid: uid });
    expect(seen).toMatchObject({
      fires: false,
      reason: expect.stringContaining('does not leave value open'),
    });
  });

  it.each<[string, Json, string]>([
    ['names no parameter of the function', { name: 'amount', any: true }, '/openParams/0/name'],
    ['states no bounds', { name: 'value' }, '/openParams/0'],
    ['says that not any value is allowed, and none else', { name: 'value', any: false }, '/openParams/0'],
    [
      'allows what the parameter cannot have',
      { name: 'value', values: ['1', 'x'] },
      '/openParams/0/values/1',
    ],
    ['has its bounds the wrong way round', { name: 'value', min: '2', max: '1' }, '/openParams/0/max'],
    ['has a bound below what the type can be', { name: 'value', min: '-1' }, '/openParams/0/min'],
  ])('is refused where it %s', async (_name, item, pointer) => {
    const refused = await send(anna, 'PUT', `action/${action.id}`, { openParams: [item] });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, pointer]);
  });
});

describe('what fires a guarded wallet', () => {
  it('is not disarmed by one person alone', async () => {
    const { vigil } = chain;
    const disabled = await expectHeld(carl, 'PUT', `detector/${detectorId}`, { status: 'DISABLED' });
    expect(disabled).toEqual([
      {
        change: 'CHANGED',
        kind: 'detector',
        id: detectorId,
        name: expect.any(String),
        members: [{ name: 'status', before: 'ACTIVE', after: 'DISABLED' }],
      },
    ]);
    await expectHeld(carl, 'PUT', `detector/${detectorId}`, { actions: [] });
    await expectHeld(carl, 'PUT', `detector/${detectorId}`, { source: 'PLATFORM' });
    const deleted = await expectHeld(anna, 'DELETE', `detector/${detectorId}`);
    expect(deleted.map(({ change, kind }) => [change, kind])).toEqual([
      ['REMOVED', 'detector'],
      ['REMOVED', 'detector binding'],
    ]);
    await expectHeld(carl, 'PUT', `contract/${chain.contractId}`, { abi: [] });
    await expectHeld(anna, 'DELETE', `contract/${chain.contractId}`);
    const { projectId } = await vigil.ok('GET', `contract/${chain.contractId}`);
    const whole = await expectHeld(anna, 'DELETE', `project/${projectId}`);
    expect(whole.map(({ change, kind }) => [change, kind])).toContainEqual(['REMOVED', 'action']);
    await expectHeld(anna, 'DELETE', `action/${action.id}`);
    await expectHeld(carl, 'PUT', `action/${action.id}`, { detectors: [] });
    expect(await vigil.ok('GET', `detector/${detectorId}`)).toMatchObject({ status: 'ACTIVE' });
  });

  it('may be halted by anyone at once, and what has nothing to do with it is changed as ever', async () => {
    const { vigil } = chain;
    expect((await send(carl, 'POST', 'action/halt', {})).status).toBe(200);
    expect((await send(anna, 'POST', 'action/resume', {})).status).toBe(200);
    const other = await chain.addSource();
    expect((await send(carl, 'PUT', `detector/${other}`, { status: 'DISABLED' })).status).toBe(200);
    expect((await send(anna, 'DELETE', `detector/${other}`)).status).toBe(200);
    // A request that would change nothing has nothing to wait for.
    expect((await send(carl, 'PUT', `detector/${detectorId}`, { status: 'ACTIVE' })).status).toBe(200);
    expect(
      (
        await vigil.call('POST', 'label', {
          address: `0x${'1'.repeat(40)}`,
          name: 'x',
          tenantId: vigil.tenantId,
        })
      ).status,
    ).toBe(201);
  });

  it('is asked about too when an administrator changes it, and a token without a user is refused', async () => {
    const { vigil } = chain;
    const refused = await vigil.call('PUT', `detector/${detectorId}`, { status: 'DISABLED' });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('belongs to no user'),
    ]);
    const key = await vigil.token(vigil.tenantId, 'tenant-manager');
    const byKey = await vigil.call('DELETE', `action/${action.id}`, undefined, { token: key });
    expect([byKey.status, byKey.body.detail]).toEqual([403, expect.stringContaining('belongs to no user')]);
    expect(await vigil.ok('GET', `detector/${detectorId}`)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('an approval', () => {
  it('is refused once what it shows is no longer what would happen', async () => {
    const { vigil } = chain;
    const asked = await send(carl, 'PUT', `action/${action.id}`, value('3'));
    expect(asked.body.changes).toEqual([
      {
        change: 'CHANGED',
        kind: 'action',
        id: action.id,
        name: 'Set',
        members: [{ name: 'params', before: value('1').params, after: value('3').params }],
      },
    ]);
    await agree('PUT', `action/${action.id}`, value('2'));
    const late = await approve(bert, asked.body.id);
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('have changed since')]);
    expect((await vigil.ok('GET', `action/${action.id}`)).params).toEqual(value('2').params);
    expect(await vigil.ok('GET', `approval/${asked.body.id}`)).toMatchObject({ state: 'PENDING' });
  });

  it('an approval of a run by hand shows its parameters, and is refused when the action calls something else by then', async () => {
    const asked = await send(carl, 'POST', `action/${action.id}/execute`, { params: { value: '4' } });
    expect(changeOf(asked.body.changes, 'execution').members).toEqual([
      { name: 'contract', before: null, after: expect.objectContaining({ id: chain.contractId }) },
      { name: 'funcSignature', before: null, after: 'setValue(uint256 value)' },
      { name: 'params', before: null, after: value('2').params },
      { name: 'given', before: null, after: { value: '4' } },
    ]);
    await agree('PUT', `action/${action.id}`, value('1'));
    expect((await approve(bert, asked.body.id)).status).toBe(409);
    const run = await agree('POST', `action/${action.id}/execute`, { params: { value: '4' } });
    expect(run).toMatchObject({ binding: 'manual' });
    expect((await chain.ended(action)).map(({ state }) => state)).toEqual(['CONFIRMED']);
  });

  it('carries a request out once when two approve it at the same time', async () => {
    const dora = await addUser(chain.vigil, 'tenant-manager');
    const asked = await send(carl, 'PUT', `action/${action.id}`, { description: 'Twice' });
    const answers = await Promise.all([approve(bert, asked.body.id), approve(dora, asked.body.id)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  it('an approval of a request that was kept before changes were shown is refused', async () => {
    const asked = await send(carl, 'PUT', `action/${action.id}`, { description: 'Old' });
    await chain.vigil.store.query(sql`update approval set changes = null where id = ${asked.body.id}`);
    expect((await approve(bert, asked.body.id)).status).toBe(409);
  });

  it('names what a new record is by no number, which it gets when it is carried out', async () => {
    const made = await agree('POST', 'detector', {
      contractId: chain.contractId,
      name: 'Second source',
      schemaName: 'pause_state',
      source: 'EXTERNAL',
      actions: [{ actionId: action.id }],
    });
    expect(made).toMatchObject({ name: 'Second source', actions: [{ actionId: action.id }] });
    // Moved to another action, the binding fires the guarded wallet no more.
    const free = await chain.addAction(value('1'));
    const moved = await expectHeld(carl, 'PUT', `detector/${made.id}`, {
      actions: [{ id: made.actions[0].id, actionId: free.id }],
    });
    expect(moved.map(({ change, kind }) => [change, kind])).toEqual([['REMOVED', 'detector binding']]);
    const away = await expectHeld(anna, 'PUT', `action/${action.id}`, { walletId: chain.wallet.id });
    expect(memberOf(changeOf(away, 'action'), 'wallet')).toMatchObject({
      before: { id: wallet.id },
      after: { id: chain.wallet.id },
    });
  });
});

describe('the second person', () => {
  const ask = async (person: Person) => {
    const asked = await send(person, 'PUT', `action/${action.id}`, {
      description: `By ${person.email} ${count++}`,
    });
    expect(asked.status).toBe(202);
    return asked.body.id as number;
  };
  let count = 0;
  const expectRefused = async (person: Person, id: number, words: string) => {
    const refused = await approve(person, id);
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining(words)]);
  };
  const signInAs = async ({ email }: Person, password: string): Promise<string> =>
    (await chain.vigil.ok('POST', 'auth/login', { email, password })).token;
  /** A user who accepted an invite of this one. */
  const invite = async (maker: Person): Promise<Person> => {
    const { vigil } = chain;
    const email = `invited${count++}@example.com`;
    const url = 'https://console.example.com/accept';
    const made = await send(maker, 'POST', 'invite', { roles: ['tenant-manager'], url, email });
    const secret = new URL(made.headers.get('x-invite-accept-link')!).searchParams.get('invite');
    const person = { name: 'Invited', password: 'a horse, a battery' };
    const { id } = await vigil.ok('POST', `invite/${secret}/accept`, person, { token: '' });
    const { token } = await vigil.ok('POST', 'auth/login', { email, password: person.password });
    return { token, userId: id, email };
  };

  it('is not one whom the first has invited, nor the one who invited the first, nor another invited by the same', async () => {
    const sock = await invite(anna);
    const other = await invite(anna);
    const grandchild = await invite(sock);
    const byAnna = await ask(anna);
    await expectRefused(sock, byAnna, `User ${anna.userId} has a hand in both accounts`);
    await expectRefused(grandchild, byAnna, `User ${anna.userId} has a hand`);
    const bySock = await ask(sock);
    for (const person of [anna, other, grandchild]) await expectRefused(person, bySock, 'has a hand in both');
    expect((await approve(bert, bySock)).status).toBe(200);
  });

  it('is not one whose password or roles the first has set, and the user learns of the password', async () => {
    const { vigil } = chain;
    const dora = await addUser(vigil, 'tenant-manager');
    expect((await send(anna, 'PUT', `user/${dora.userId}`, { password: 'set by another one' })).status).toBe(
      200,
    );
    const byAnna = await ask(anna);
    await expectRefused(
      { ...dora, token: await signInAs(dora, 'set by another one') },
      byAnna,
      `User ${anna.userId} has a hand`,
    );
    // It holds the other way round as well, and the next who sets it takes the first one's place.
    const ofAnnaAsDora = await ask({ ...dora, token: await signInAs(dora, 'set by another one') });
    await expectRefused(anna, ofAnnaAsDora, `User ${anna.userId} has a hand`);
    const password = 'set by yet another';
    expect((await send(bert, 'PUT', `user/${dora.userId}`, { password })).status).toBe(200);
    // What was made or sent while the first could sign in as her may be the first's.
    await expectRefused(dora, byAnna, 'since the key was made');
    const byKey = await send(dora, 'PUT', `action/${action.id}`, { description: 'By an old key' });
    expect([byKey.status, byKey.body.detail]).toEqual([
      403,
      expect.stringContaining('since the key was made'),
    ]);
    await expectRefused(anna, ofAnnaAsDora, 'may be a request of another');
    expect((await approve({ ...dora, token: await signInAs(dora, password) }, byAnna)).status).toBe(200);
    const { data } = await vigil.ok('GET', `audit?kind=user&recordId=${dora.userId}&size=10`);
    expect(
      data.filter(({ action: verb }: Json) => verb === 'user.reset').map(({ actor }: Json) => actor.userId),
    ).toEqual([bert.userId, anna.userId]);
    const vera = await addUser(vigil, 'tenant-user');
    await send(anna, 'PUT', `user/${vera.userId}`, { roles: ['tenant-user', 'tenant-manager'] });
    await expectRefused(vera, await ask(anna), `User ${anna.userId} has a hand`);
    const keyless = await vigil.token(vigil.tenantId, 'tenant-manager');
    const eve = await addUser(vigil, 'tenant-manager');
    await vigil.ok('PUT', `user/${eve.userId}`, { password: 'set by a lonely key' }, { token: keyless });
    const token = await signInAs(eve, 'set by a lonely key');
    await expectRefused({ ...eve, token }, await ask(anna), 'by a key that belongs to no user');
  });

  it('is one of those whom the wallet names, who are vouched for by that', async () => {
    const { vigil } = chain;
    const invited = await invite(anna);
    const stranger = await vigil.ok('POST', 'tenant', { name: 'Strangers' });
    const outsider = await addUser({ ...vigil, tenantId: stranger.id }, 'tenant-manager');
    const viewer = await addUser(vigil, 'tenant-viewer');
    for (const approvers of [[outsider.userId], [987_654], [bert.userId, viewer.userId]]) {
      const refused = await send(anna, 'PUT', `wallet/${wallet.id}`, { approvers });
      expect([refused.status, refused.body.errors[0]]).toMatchObject([
        422,
        { pointer: `/approvers/${approvers.length - 1}`, code: 'unknown-reference' },
      ]);
    }
    await agree('PUT', `wallet/${wallet.id}`, { approvers: [bert.userId, invited.userId] });
    expect((await vigil.ok('GET', `wallet/${wallet.id}`)).approvers).toEqual([bert.userId, invited.userId]);
    const dora = await addUser(vigil, 'tenant-manager');
    await expectRefused(dora, await ask(anna), 'names its approvers');
    const byAnna = await ask(anna);
    expect((await approve(invited, byAnna)).status).toBe(200);
    await send(anna, 'PUT', `user/${invited.userId}`, { password: 'mine from now on' });
    const again = await vigil.ok('POST', 'auth/login', {
      email: invited.email,
      password: 'mine from now on',
    });
    await expectRefused({ ...invited, token: again.token }, await ask(anna), 'has a hand in both');
    const gone = await send(anna, 'DELETE', `user/${invited.userId}`);
    expect([gone.status, gone.body.detail]).toEqual([409, expect.stringContaining('as an approver')]);
    await agree('PUT', `wallet/${wallet.id}`, { approvers: null });
    expect((await send(anna, 'DELETE', `user/${invited.userId}`)).status).toBe(200);
  });

  it('does not approve what its sender could not send any more', async () => {
    const { vigil } = chain;
    const dora = await addUser(vigil, 'tenant-manager');
    const id = await ask(dora);
    await vigil.ok('PUT', `user/${dora.userId}`, { roles: ['tenant-viewer'] });
    const demoted = await approve(bert, id);
    expect([demoted.status, demoted.body.detail]).toEqual([
      409,
      expect.stringContaining('may not send it any more'),
    ]);
    await vigil.ok('DELETE', `user/${dora.userId}`);
    expect((await approve(bert, id)).status).toBe(409);
  });

  it('has not signed in in the same browser', async () => {
    const { vigil } = chain;
    const password = 'a horse, a battery';
    const newcomer = async () => {
      const person = await addUser(vigil, 'tenant-manager');
      await vigil.ok('PUT', `user/${person.userId}`, { password });
      return { ...person, token: await signInAs(person, password) };
    };
    const people = [await newcomer(), await newcomer()] as const;
    const signIn = async ({ email }: Person, cookie = '') => {
      const headers = { 'content-type': 'application/json', 'x-vigil-console': '1', cookie };
      const body = JSON.stringify({ email, password, cookie: true });
      const answer = await fetch(`${vigil.url}/api/v1/auth/login`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      return answer.headers
        .getSetCookie()
        .find((one) => one.startsWith('__Host-vigil_device='))!
        .split(';')[0]!;
    };
    const device = await signIn(people[0]);
    const elsewhere = await signIn(people[1]);
    expect(elsewhere).not.toBe(device);
    expect((await approve(people[1], await ask(people[0]))).status).toBe(200);
    expect(await signIn(people[1], `a=b; ${device}`)).toBe(device);
    await expectRefused(people[1], await ask(people[0]), 'in the same browser');
  });
});
