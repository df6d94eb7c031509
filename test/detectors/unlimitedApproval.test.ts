import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const max = 2n ** 256n - 1n;
const permit2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const one = 10n ** 18n;

let token: Contract;
beforeAll(async () => {
  token = await chain.anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 1_000n * one);
});

describe('unlimited_approval', () => {
  it('reports an unlimited approval to an unknown spender, seen from the token and from the owner', async () => {
    const { anvil } = chain;
    const [owner, spender] = anvil.accounts;
    const ofToken = await chain.watch('unlimited_approval', {}, token);
    const ofOwner = await chain.watch('unlimited_approval', {}, { address: owner });
    await token.send(owner, 'approve', spender, max);
    const expected = {
      severity: 'MEDIUM',
      message: `${owner} lets the unknown account ${spender} take any amount of TKN, seen at Watched.`,
      meta: { token: token.address, owner, spender, spenderIsContract: false, value: String(max) },
    };
    expect(await ofToken.catchUp()).toMatchObject([expected]);
    expect(await ofOwner.catchUp()).toMatchObject([expected]);
  });

  it('keeps quiet about limited approvals, known spenders and the contract itself', async () => {
    const { anvil } = chain;
    const [owner, allowed, labelled, spender] = anvil.accounts;
    const labels = [{ address: labelled, tags: ['SPENDER'] }];
    const ofToken = await chain.watch(
      'unlimited_approval',
      { allowedSpenders: [allowed] },
      { address: token.address, labels },
    );
    const ofSpender = await chain.watch('unlimited_approval', {}, { address: spender });
    await token.send(owner, 'approve', spender, 1_000n * one);
    await token.send(owner, 'approve', allowed, max);
    await token.send(owner, 'approve', labelled, max);
    expect(await ofToken.catchUp()).toEqual([]);
    await token.send(owner, 'approve', spender, max);
    expect(await ofSpender.catchUp()).toEqual([]);
    expect(await ofToken.catchUp()).toHaveLength(1);
  });

  it('reports approvals above the threshold, not of those at it', async () => {
    const [owner, spender] = chain.anvil.accounts;
    const observer = await chain.watch('unlimited_approval', { threshold: '10.5' }, token);
    await token.send(owner, 'approve', spender, 10n * one + one / 2n);
    expect(await observer.catchUp()).toEqual([]);
    await token.send(owner, 'approve', spender, 10n * one + one / 2n + 1n);
    await token.send(owner, 'approve', spender, 1_234n * one);
    const [, large] = await observer.catchUp();
    expect(large).toMatchObject({ meta: { isUnlimited: false, amount: '1234' } });
    expect(large?.message).toContain('take 1,234 TKN');
    expect(observer.memory()).toMatchObject({ own: { decimals: 18 } });
  });

  it('is critical when the spender has a bad label', async () => {
    const [owner, spender] = chain.anvil.accounts;
    const labels = [{ address: spender, tags: ['SCAM'] }];
    const observer = await chain.watch('unlimited_approval', {}, { address: owner, labels });
    await token.send(owner, 'approve', spender, max);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { spenderTags: ['SCAM'] } },
    ]);
  });

  it('reports a whole collection that is approved, not of one piece nor of the end of an approval', async () => {
    const { anvil } = chain;
    const [owner, spender] = anvil.accounts;
    const nft = await anvil.deploy(artifacts.TokenNft);
    await nft.send(owner, 'mint', owner, 1n);
    const observer = await chain.watch('unlimited_approval', {}, { address: owner });
    await nft.send(owner, 'approve', spender, 1n);
    await nft.send(owner, 'setApprovalForAll', spender, false);
    expect(await observer.catchUp()).toEqual([]);
    await nft.send(owner, 'setApprovalForAll', spender, true);
    const found = await observer.catchUp();
    expect(found).toMatchObject([{ meta: { token: nft.address, isUnlimited: true } }]);
    expect(found[0]?.message).toContain('take all of VTC');
  });

  it('reports approvals through Permit2, and does not believe others who copy its event', async () => {
    const { anvil } = chain;
    const [owner, spender] = anvil.accounts;
    const copy = await anvil.deploy(artifacts.Permit2Like);
    await anvil.setCode(permit2, await anvil.rpc<string>('eth_getCode', copy.address, 'latest'));
    const observer = await chain.watch('unlimited_approval', {}, { address: owner });
    const call = [token.address, spender, 2n ** 160n - 1n, 2 ** 40] as const;
    await copy.send(owner, 'approve', ...call);
    await anvil.at(permit2, copy.abi).send(owner, 'approve', token.address, spender, 5n, 2 ** 40);
    expect(await observer.catchUp()).toEqual([]);
    await anvil.at(permit2, copy.abi).send(owner, 'approve', ...call);
    expect(await observer.catchUp()).toMatchObject([
      { meta: { token: token.address, owner, spender, symbol: 'TKN' } },
    ]);
  });

  it('refuses a threshold that is no amount', async () => {
    await expect(chain.watch('unlimited_approval', { threshold: 'much' }, token)).rejects.toThrow(
      '/threshold must be a decimal number',
    );
  });
});
