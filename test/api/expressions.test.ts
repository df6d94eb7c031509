import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

let api: TestApi;
let contractId: number;
beforeAll(async () => {
  api = await startTestApi();
  await publishDetectors(api.store, Date.now());
  const tenant = await api.ok('POST', 'tenant', { name: 'Vaults' });
  const project = await api.ok('POST', 'project', { tenantId: tenant.id, name: 'Vault' });
  const address = `0x${'d'.repeat(40)}`;
  const contract = await api.ok('POST', 'contract', {
    projectId: project.id,
    name: 'Pool',
    chainUid: 'ethereum',
    address,
  });
  contractId = contract.id;
});
afterAll(() => api.stop());

const signature = 'Transfer(address indexed from, address indexed to, uint256 value)';

it.each([
  ['custom_event', { signature, expression: 'e.args.valeu > 1n' }, 'did you mean e.args.value?'],
  ['custom_event', { signature, expression: 'e.gasUse > 1n' }, 'did you mean e.gasUsed?'],
  ['custom_function', { signature: 'pause()', expression: 'e.nonse > 1' }, 'did you mean e.nonce?'],
  ['custom_tx', { expression: 'e.gasLimt > 1n' }, 'did you mean e.gasLimit?'],
  ['custom_tx', { expression: 'e.operations.length > 1' }, 'e has no member operations'],
  ['custom_tx', { expression: 'e.to === "0xDAC17F958D2ee523a2206206994597C13D831ec7"' }, 'checksum'],
  ['contract_call', { function: 'total()(uint256)', script: 'e.valeu > 1n' }, 'did you mean e.value?'],
])(
  '%s with %j is refused with 400, which names the member and what would be right',
  async (schemaName, config, words) => {
    const answer = await api.call('POST', 'detector', { contractId, schemaName, name: 'Typo', config });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].pointer).toBe('script' in config ? '/config/script' : '/config/expression');
    expect(answer.body.errors[0].message).toContain(words);
  },
);

it.each([
  ['custom_event', { signature, expression: 'e.gasUsed > 1n && e.nonce > 1 && e.args.value > 1n' }],
  ['custom_function', { signature: 'pause()', expression: 'e.nonce > 1 && e.maxFeePerGas > 1n' }],
  ['custom_tx', { expression: 'lower(e.input) === "0x" && e.transactionIndex === 0' }],
])('%s with %j is taken', async (schemaName, config) => {
  await api.ok('POST', 'detector', { contractId, schemaName, name: 'Right', config });
});
