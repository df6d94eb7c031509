import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const one = 10n ** 18n;

let token: Contract;
let vault: Contract;
beforeAll(async () => {
  const { anvil } = chain;
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 1_000_000n * one);
  vault = await anvil.deploy(artifacts.VaultV1);
});

describe('aml', () => {
  it('reports who of the parties has a label, with what they moved and a severity by score', async () => {
    const [owner, bad, worse] = chain.anvil.accounts;
    const labels = [
      { address: bad, name: 'Phisher', tags: ['SCAM'], score: 55, source: 'list' },
      { address: worse, tags: ['SANCTION'], score: 100 },
      { address: worse, tags: ['SCAM'], score: 10 },
    ];
    const observer = await chain.watch('aml', {}, { address: token.address, labels });
    await token.send(owner, 'transfer', bad, 1_500n * one);
    await token.send(bad, 'transfer', worse, one);
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      {
        severity: 'MEDIUM',
        group: 'COMPLIANCE',
        message: `${bad}, known as Phisher (SCAM, score 55), received 1,500 TKN from ${owner}; Watched is involved.`,
        meta: { address: bad, role: 'tokenRecipient', amount: '1500', symbol: 'TKN', source: 'list' },
      },
      { severity: 'CRITICAL', meta: { address: worse, score: 100, tags: ['SANCTION'] } },
      { severity: 'MEDIUM', meta: { address: bad, role: 'sender' } },
    ]);
    expect(new Set(found.map(({ key }) => key)).size).toBe(3);
  });

  it('reports native coins in both directions', async () => {
    const { anvil } = chain;
    const [, bad, wallet] = anvil.accounts;
    const labels = [{ address: bad, tags: ['SCAM'], score: 20 }];
    const observer = await chain.watch('aml', {}, { address: wallet, labels });
    await anvil.send({ from: bad, to: wallet, value: one });
    await anvil.send({ from: wallet, to: bad, value: 2n * one });
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      { severity: 'INFO', meta: { role: 'sender', amount: '1', symbol: 'ETH' } },
      { meta: { role: 'recipient', amount: '2' } },
    ]);
    expect(found[1]?.message).toContain(`received 2 ETH from ${wallet}`);
  });

  it('keeps quiet about strangers, other tags, scores below the condition and roles that are not tracked', async () => {
    const [owner, bad, stranger] = chain.anvil.accounts;
    const world = { address: token.address, labels: [{ address: bad, tags: ['SCAM'], score: 40 }] };
    const all = await chain.watch('aml', {}, world);
    const quiet = [
      await chain.watch('aml', { labelTags: ['MIXER'] }, world),
      await chain.watch('aml', { condition: '> 40' }, world),
      await chain.watch('aml', { trackToken: false }, world),
      await chain.watch('aml', { source: 'custom' }, world),
    ];
    await token.send(owner, 'transfer', stranger, one);
    expect(await all.catchUp()).toEqual([]);
    await token.send(owner, 'transfer', bad, one);
    for (const observer of quiet) expect(await observer.catchUp()).toEqual([]);
    expect(await all.catchUp()).toHaveLength(1);
  });

  it('uses lists of its own', async () => {
    const [owner, listed, inCsv, weak] = chain.anvil.accounts;
    const config = {
      source: 'custom',
      addresses: [`0x${listed.slice(2).toUpperCase()}`],
      csv: `${inCsv},70,mixer; Tornado,Pool, the first\n\r\n${weak},0\n`,
    };
    const observer = await chain.watch('aml', config, token);
    await token.send(owner, 'transfer', listed, one);
    await token.send(owner, 'transfer', inCsv, one);
    await token.send(owner, 'transfer', weak, one);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { address: listed, score: 100 } },
      { severity: 'HIGH', meta: { address: inCsv, tags: ['MIXER', 'TORNADO'], label: 'Pool, the first' } },
    ]);
  });

  it('is not stopped by a forged log, and looks only at transfers that concern the contract', async () => {
    const { anvil } = chain;
    const [owner, bad] = anvil.accounts;
    const fake = await anvil.deploy(artifacts.FakeToken);
    const labels = [{ address: bad, tags: ['SCAM'] }];
    const observer = await chain.watch('aml', {}, { address: vault.address, labels });
    await fake.send(owner, 'pretend', bad, owner, 5n);
    expect(await observer.catchUp()).toEqual([]);
    await fake.send(owner, 'pretend', bad, vault.address, 5n);
    expect(await observer.catchUp()).toMatchObject([{ meta: { role: 'tokenSender', token: fake.address } }]);
    expect(observer.faults).toEqual([]);
  });

  it('refuses a list that is not one', async () => {
    await expect(chain.watch('aml', { csv: 'address,score\n' }, token)).rejects.toThrow(
      '/csv must have lines',
    );
    await expect(chain.watch('aml', { condition: 'bad' }, token)).rejects.toThrow('/condition');
  });
});
