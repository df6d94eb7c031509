import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectors } from '../../src/detectors/detectors.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { findSchemaId } from '../../src/store/detectors/detectorSchemas.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { expectProblem, faultCode } from '../support/expectProblem.ts';

let api: TestApi;
let world: World;
let contractId: number;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
  await publishDetectors(api.store, Date.now());
  const contract = await api.ok('POST', 'contract', {
    projectId: world.project.id,
    name: 'Vault',
    chainUid: 'anvil',
    address: '0x00000000000000000000000000000000000000aa',
    abi: [{ type: 'function', name: 'set', inputs: [{ name: 'limit', type: 'uint256' }], outputs: [] }],
  });
  contractId = contract.id;
});
afterAll(() => api.stop());

describe('parameters of a trigger', () => {
  const trigger = (triggerType: string, params: Json) => ({ contractId, name: 'T', triggerType, params });
  const fitting = {
    signature: 'set(uint256)',
    conditions: [{ name: 'limit', operator: '>', value: '1e18' }],
  };

  it('are shown as they were given, without defaults', async () => {
    const made = await api.ok('POST', 'trigger', trigger('FUNCTION_PARAMETER', fitting));
    expect(made.params).toEqual(fitting);
    expect((await api.ok('GET', `trigger/${made.id}`)).params).toEqual(fitting);
  });

  it.each<[string, Json, string]>([
    ['FUNCTION_CALL', { signature: 'withdraw' }, '/params/signature'],
    ['FUNCTION_CALL', { signatur: 'withdraw()' }, '/params/signatur'],
    ['STATE_CHANGE', {}, '/params/slot'],
    [
      'FUNCTION_PARAMETER',
      { ...fitting, conditions: [{ name: 'amount', operator: '>', value: '1' }] },
      '/params/conditions/0/name',
    ],
    [
      'FUNCTION_PARAMETER',
      { ...fitting, conditions: [{ name: 'limit', operator: 'contains', value: '1' }] },
      '/params/conditions/0/value',
    ],
  ])('of %s refuse %j', async (type, params, pointer) => {
    expectProblem(await api.call('POST', 'trigger', trigger(type, params)), 400, pointer);
  });

  it('are checked on a change against the type that then holds', async () => {
    const { id } = await api.ok('POST', 'trigger', trigger('FUNCTION_PARAMETER', fitting));
    const path = `trigger/${id}`;
    expectProblem(await api.call('PUT', path, { params: {} }), 400, '/params/signature');
    expectProblem(await api.call('PUT', path, { triggerType: 'STATE_CHANGE' }), 400, '/params/slot');
    const changed = await api.ok('PUT', path, { triggerType: 'STATE_CHANGE', params: { slot: '0x0' } });
    expect(changed).toMatchObject({ interceptorType: 'STATE', params: { slot: '0x0' } });
    expect(await api.ok('PUT', path, { name: 'Other' })).toMatchObject({ params: { slot: '0x0' } });
  });
});

describe('the configuration of a detector', () => {
  let schemaId: number;
  beforeAll(async () => {
    schemaId = (await findSchemaId(api.store, 'ownership_change'))!;
  });
  const detector = (config: Json, more: Json = {}) => ({ contractId, schemaId, name: 'D', config, ...more });

  it('is shown as it was given, without defaults', async () => {
    const made = await api.ok('POST', 'detector', detector({ severity: 'LOW' }));
    expect(made.config).toEqual({ severity: 'LOW' });
  });

  it.each<[Json, string]>([
    [{ allowedOwners: ['0x12'] }, '/config/allowedOwners/0'],
    [{ allowedOwner: [] }, '/config/allowedOwner'],
    [{ cooldown: 'long' }, '/config/cooldown'],
    [{ severity: 'BAD' }, '/config/severity'],
  ])('refuses %j', async (config, pointer) => {
    expectProblem(await api.call('POST', 'detector', detector(config)), 400, pointer);
  });

  it('is refused with the place of the fault when a script in it does not compile', async () => {
    const schemaId = await findSchemaId(api.store, 'custom_event');
    const config = { signature: 'Ping(uint256 id)', expression: 'e.args.id >' };
    const answer = await api.call('POST', 'detector', detector(config, { schemaId }));
    expectProblem(answer, 400, '/config/expression');
    expect(answer.body.errors[0].message).toMatch(/line 1, column/);
    const fitting = { ...config, expression: 'e.args.id > 5n' };
    await api.ok('POST', 'detector', detector(fitting, { schemaId }));
  });

  it('is checked on a change too, and whenever the detector begins to run here', async () => {
    const { id } = await api.ok('POST', 'detector', detector({}));
    expectProblem(await api.call('PUT', `detector/${id}`, { config: { tags: 'x' } }), 400, '/config/tags');
    const outside = await api.ok('POST', 'detector', detector({ any: 'thing' }, { source: 'EXTERNAL' }));
    const path = `detector/${outside.id}`;
    expect(await api.ok('PUT', path, { config: { other: 1 } })).toMatchObject({ config: { other: 1 } });
    expectProblem(await api.call('PUT', path, { source: 'PLATFORM' }), 400, '/config/other');
  });

  it('follows the schema that an administrator wrote where Vigil has none', async () => {
    const own = await api.ok('POST', 'detector/schema', {
      title: 'Own',
      name: 'own',
      version: '1',
      configSchema: { $id: 'same', type: 'object', properties: { limit: { type: 'integer' } } },
    });
    expectProblem(
      await api.call('POST', 'detector', detector({ limit: 'x' }, { schemaId: own.id })),
      400,
      '/config/limit',
    );
    await api.ok('POST', 'detector', detector({ limit: 5 }, { schemaId: own.id }));
    const free = await api.ok('POST', 'detector', detector({ a: 1 }, { schemaId: world.detectorSchema.id }));
    expect(free.config).toEqual({ a: 1 });
  });

  it('reports a schema that is not valid', async () => {
    const broken = await api.ok('POST', 'detector/schema', {
      title: 'Broken',
      name: 'broken',
      version: '1',
      configSchema: { type: 'thing' },
    });
    const answer = await api.call('POST', 'detector', detector({}, { schemaId: broken.id }));
    expect(faultCode(expectProblem(answer, 422), '/schemaId')).toBe('unusable-schema');
  });
});

describe('a detector without settings', () => {
  /** What each kind cannot do without; all others begin with sensible settings. */
  const needs: Readonly<Record<string, readonly string[]>> = {
    large_transfer: ['threshold'],
    proof_of_reserves: ['feed'],
    contract_call: ['function'],
    http_probe: ['url'],
    dns_monitor: ['domain'],
    custom_event: ['signature'],
    custom_function: ['signature'],
    invariant: ['terms', 'expression'],
  };

  it.each([...detectors.values()].filter(({ families }) => families.includes('evm')).map(({ name }) => name))(
    'of the kind %s works, or is refused with what it needs',
    async (schemaName) => {
      const reply = await api.call('POST', 'detector', { contractId, schemaName, name: schemaName });
      const missing = needs[schemaName];
      if (!missing) {
        expect(reply.status, JSON.stringify(reply.body)).toBe(201);
        return;
      }
      expect(reply.status).toBe(400);
      const faults = reply.body.errors as Json[];
      expect(faults.map(({ pointer }: Json) => pointer)).toEqual(missing.map((name) => `/config/${name}`));
      for (const { code, message } of faults) {
        expect(code).toBe('required');
        expect(message).toMatch(/^is required\. [A-Z].{15,}/);
      }
    },
  );
});

describe('the family of a chain', () => {
  it('is in the catalogue, and a contract of another one is refused with what works there', async () => {
    const { data } = await api.ok('POST', 'detector/schema/search', { where: "name = 'unlimited_approval'" });
    expect(data[0].networkTags).toEqual(['evm', 'vechain', 'tron']);
    const wallet = await api.ok('POST', 'contract', {
      projectId: world.project.id,
      name: 'Treasury',
      chainUid: 'solana',
      address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    });
    const detector = { contractId: wallet.id, name: 'D', schemaName: 'unlimited_approval' };
    const refused = await api.call('POST', 'detector', detector);
    expectProblem(refused, 422, '/schemaId');
    expect(refused.body.detail).toMatch(/famil(y|ies) evm.*Solana.*chain_halt/);
    const trigger = {
      contractId: wallet.id,
      name: 'T',
      triggerType: 'STATE_CHANGE',
      params: { slot: '0x0' },
    };
    expectProblem(await api.call('POST', 'trigger', trigger), 422, '/triggerType');
    await api.ok('POST', 'detector', { ...detector, schemaName: 'chain_halt' });
    // What is pushed from outside may be about any chain.
    await api.ok('POST', 'detector', { ...detector, source: 'EXTERNAL' });
  });

  it('decides which addresses a configuration may have', async () => {
    const wallet = await api.ok('POST', 'contract', {
      projectId: world.project.id,
      name: 'Cold',
      chainUid: 'bitcoin',
      address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    });
    const token = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
    const detector = { contractId: wallet.id, name: 'D', schemaName: 'wallet_balance', config: { token } };
    expectProblem(await api.call('POST', 'detector', detector), 422, '/config/token');
    await api.ok('POST', 'detector', { ...detector, config: {} });
    const list = { contractId, name: 'L', schemaName: 'aml', config: { addresses: [token] } };
    await api.ok('POST', 'detector', list);
    // A capital that does not fit the checksum.
    const wrong = token.replace('dAC', 'DAC');
    expectProblem(
      await api.call('POST', 'detector', { ...list, config: { addresses: [token, wrong] } }),
      422,
      '/config/addresses/1',
    );
    const csv = `${token},90\n${wrong},50`;
    expectProblem(await api.call('POST', 'detector', { ...list, config: { csv } }), 422, '/config/csv');
  });
});
