import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/alert.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { raiseAll } from '../support/randomAlerts.ts';
import { share } from '../support/share.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { observe } from './support/observe.ts';

let api: TestApi;
let own: TenantWorld;
let other: TenantWorld;
beforeAll(async () => {
  api = observe(await startTestApi());
  own = await createTenantWorld(api);
  other = await createTenantWorld(api);
  await raise(own, 5, { name: 'Owner changed', severity: 'CRITICAL', tags: ['hot', 'seen'] });
  await raise(own, 2, { name: 'Paused', tags: ['hot'], meta: { amount: 7, list: ['x', 'y'] } });
  await raise(other, 3, {
    name: 'Foreign',
    tags: ['theirs'],
    meta: { private: { key: 'hush' }, shown: 'word' },
  });
});
afterAll(() => api.stop());

let raised = 0;
async function raise({ world }: TenantWorld, count: number, members: Partial<Finding>): Promise<void> {
  const findings = Array.from(
    { length: count },
    (): Finding => ({
      tenantId: world.tenant.id,
      projectId: world.project.id,
      contractId: world.contract.id,
      detectorId: world.detector.id,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'HIGH',
      timestamp: Date.now(),
      key: `suggest ${++raised}`,
      eid: `suggest-${raised}`,
      name: 'Found',
      message: 'Found.',
      meta: {},
      tags: [],
      ...members,
    }),
  );
  await raiseAll(api.store, findings);
}

const as = (role: keyof TenantWorld['tokens'], who = own) => ({ token: who.tokens[role] });

const suggest = async (query: Record<string, string | number>, sent = as('tenant-viewer')): Promise<Json[]> =>
  (
    await api.ok(
      'GET',
      `suggest?${new URLSearchParams(query as Record<string, string>).toString()}`,
      undefined,
      sent,
    )
  ).data;
const values = async (field: string, sent = as('tenant-viewer')) =>
  (await suggest({ of: 'value', field, size: 200 }, sent)).map(({ value, count }) => `${value} ${count}`);

describe('suggestions', () => {
  it('name the fields of a query with their types, and members of the tenant’s own evidence', async () => {
    const fields = new Map((await suggest({ size: 200 })).map((field) => [field.value, field]));
    expect(fields.get('severity')).toEqual({
      value: 'severity',
      type: 'keyword',
      label: 'How bad it is.',
      count: null,
    });
    expect(fields.get('assigneeId')!.type).toBe('long');
    expect(fields.get('meta.amount')).toEqual({
      value: 'meta.amount',
      type: 'double',
      label: null,
      count: 2,
    });
    expect(fields.has('meta.shown')).toBe(false);
    const typed = await suggest({ text: 'Tag', size: 1 });
    expect(typed.map(({ value }) => value)).toEqual(['tags']);
    const chosen = (await suggest({ text: 'chain' })).map(({ value }) => value);
    expect(chosen).toEqual(['chainUid', 'walletChainUid']);
  });

  it('count the most frequent values of the own alerts', async () => {
    expect(await values('name.keyword')).toEqual(['Owner changed 5', 'Paused 2']);
    expect(await values('tags')).toEqual(['hot 7', 'seen 5']);
    // A field alone says that its values are wanted.
    expect((await suggest({ field: 'tags' })).map(({ value }) => value)).toEqual(['hot', 'seen']);
    expect(await values('meta.amount')).toEqual(['7 2']);
    expect(await values('meta.list')).toEqual(['x 2', 'y 2']);
    expect(await values('severity')).toEqual(['CRITICAL 5', 'HIGH 2', 'INFO 0', 'LOW 0', 'MEDIUM 0']);
    expect(await values('suppressed')).toEqual(['false 7']);
    expect(await values('name', as('tenant-viewer', other))).toEqual(['Foreign 3']);
    expect(await values('meta.shown')).toEqual([]);
  });

  it('name the records behind ids, and colleagues to assign to, by any part of their names', async () => {
    const [contract] = await suggest({ of: 'value', field: 'contractId', text: 'ontr' });
    expect(contract).toEqual({
      value: String(own.world.contract.id),
      type: 'record',
      label: 'Contract',
      count: 7,
    });
    const users = await suggest({ of: 'value', field: 'assigneeId', size: 200 });
    expect(users.map(({ label }) => label)).toContain(own.world.user.email);
    expect(users.map(({ value }) => value)).not.toContain(String(other.world.user.id));
    // Users of its tenants are for managers of an organisation.
    expect(await suggest({ of: 'value', field: 'assigneeId' }, as('organisation-viewer'))).toEqual([]);
  });

  it('suggestions of a shared project show nothing private, and end with the share', async () => {
    await share(api, other.world.project.id, [own.world.tenant.id]);
    expect(await values('meta.shown')).toEqual(['word 3']);
    expect(await values('meta.private.key')).toEqual([]);
    expect(await values('meta.private.key', as('tenant-viewer', other))).toEqual(['hush 3']);
    const fields = (await suggest({ size: 200 })).map(({ value }) => value);
    expect(fields).toContain('meta.shown');
    expect(fields).not.toContain('meta.private');
    await api.ok('PUT', `project/${other.world.project.id}`, { viewTenantIds: [] });
    expect(await values('meta.shown')).toEqual([]);
  });

  it('list functions and events of a contract, and the names of addresses', async () => {
    const abi = [
      { type: 'function', name: 'pause', inputs: [], outputs: [], stateMutability: 'nonpayable' },
      { type: 'event', name: 'Paused', inputs: [{ type: 'address', name: 'account' }] },
    ];
    await api.ok('PUT', `contract/${own.world.contract.id}`, { abi });
    const contractId = own.world.contract.id;
    expect(
      (await suggest({ of: 'signature', contractId })).map(({ value, type }) => `${type} ${value}`),
    ).toEqual(['function pause()', 'event Paused(address account)']);
    const labelled = own.world.label.address as string;
    const address = `${own.world.contract.address},${labelled.toUpperCase().replace('0X', '0x')},${own.world.wallet.address}`;
    expect(
      (await suggest({ of: 'label', address })).map(({ type, label }) => `${type} ${label}`).sort(),
    ).toEqual(['contract Contract', 'label MIXER', 'wallet Wallet']);
    const foreign = await api.ok('POST', 'label', {
      tenantId: other.world.tenant.id,
      address: '0x00000000000000000000000000000000000000aa',
      name: 'Theirs',
    });
    expect(await suggest({ of: 'label', address: foreign.address })).toEqual([]);
    expect(await suggest({ of: 'label', address: foreign.address }, as('tenant-viewer', other))).toHaveLength(
      1,
    );
  });

  it('refuse what does not exist or is missing, and what is another tenant’s', async () => {
    const faults: [string, string][] = [
      ['of=value', '/query/field'],
      ['of=value&field=nam', '/query/field'],
      ['of=value&field=meta', '/query/field'],
      ['of=value&field=name.x', '/query/field'],
      ['of=signature', '/query/contractId'],
      ['of=label', '/query/address'],
      ['of=label&address=0x12', '/query/address'],
      ['of=label&address=bc1q&chainUid=nosuch', '/query/chainUid'],
      ['field=nope', '/query/field'],
      ['of=field&field=name', '/query/field'],
      ['of=value&field=tags&contractId=1', '/query/contractId'],
      ['chainUid=ethereum', '/query/address'],
      ['of=all', '/query/of'],
      ['size=0', '/query/size'],
      ['size=201', '/query/size'],
    ];
    for (const [query, pointer] of faults)
      expectProblem(await api.call('GET', `suggest?${query}`, undefined, as('tenant-viewer')), 400, pointer);
    const unknown = await api.call('GET', 'suggest?field=nope', undefined, as('tenant-viewer'));
    expect(unknown.body.errors[0].message).toContain('did you mean name?');
    const foreign = [
      `of=signature&contractId=${other.world.contract.id}`,
      `tenantId=${other.world.tenant.id}`,
    ];
    for (const query of foreign)
      expectProblem(await api.call('GET', `suggest?${query}`, undefined, as('tenant-manager')), 404);
    const forAdmin = { of: 'value', field: 'tags', tenantId: other.world.tenant.id };
    expect((await suggest(forAdmin, as('admin'))).map(({ value }) => value)).toEqual(['theirs']);
    expect((await suggest({ of: 'value', field: 'tags' }, as('admin'))).map(({ value }) => value)).toContain(
      'hot',
    );
  });
});
