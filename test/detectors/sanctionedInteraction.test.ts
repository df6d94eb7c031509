import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const name = 'sanctioned_interaction';

let token: Contract;
beforeAll(async () => {
  token = await chain.anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
});

describe('sanctioned_interaction', () => {
  it('reports everybody on the list who takes part', async () => {
    const [owner, listed, alsoListed] = chain.anvil.accounts;
    const labels = [listed, alsoListed].map((address) => ({ address, tags: ['SANCTION'], source: 'OFAC 1' }));
    const observer = await chain.watch(name, {}, { address: token.address, labels });
    await token.send(owner, 'transfer', listed, 10n ** 18n);
    await token.send(listed, 'transfer', alsoListed, 10n ** 17n);
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      { severity: 'CRITICAL', group: 'COMPLIANCE', meta: { address: listed, amount: '1', list: 'OFAC 1' } },
      { meta: { address: listed, role: 'sender' } },
      { meta: { address: alsoListed, role: 'tokenRecipient', amount: '0.1' } },
    ]);
    expect(found[0]?.message).toContain(`received 1 TKN from ${owner}`);
  });

  it('keeps quiet about others, other tags and other editions of the list', async () => {
    const [owner, listed, stranger] = chain.anvil.accounts;
    const { address } = token;
    const label = { address: listed, tags: ['SANCTION'], source: 'OFAC 1' };
    const other = await chain.watch(name, { listVersion: 'OFAC 2' }, { address, labels: [label] });
    const scam = await chain.watch(name, {}, { address, labels: [{ ...label, tags: ['SCAM'] }] });
    const same = await chain.watch(name, { listVersion: 'OFAC 1' }, { address, labels: [label] });
    await token.send(owner, 'transfer', stranger, 5n);
    expect(await same.catchUp()).toEqual([]);
    await token.send(owner, 'transfer', listed, 5n);
    expect(await other.catchUp()).toEqual([]);
    expect(await scam.catchUp()).toEqual([]);
    expect(await same.catchUp()).toHaveLength(1);
  });

  it('refuses a list version that is no text', async () => {
    await expect(chain.watch(name, { listVersion: 7 }, token)).rejects.toThrow('/listVersion must be a text');
  });
});
