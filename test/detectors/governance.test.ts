import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const id = `0x${'7'.repeat(64)}`;
const day = 86_400n;

let governor: Contract;
beforeAll(async () => {
  governor = await chain.anvil.deploy(artifacts.GovernorLike);
});

describe('governance', () => {
  it('reports the life of a proposal', async () => {
    const [proposer, target] = chain.anvil.accounts;
    const observer = await chain.watch('governance', {}, governor);
    await governor.send(proposer, 'propose', 7n, target, 5n, '0x1234', '# Raise the fee\nBecause we can.');
    const now = BigInt((await chain.anvil.block()).timestamp);
    await governor.send(proposer, 'queue', 7n, now + 2n * day);
    await governor.send(proposer, 'execute', 7n);
    await governor.send(proposer, 'cancel', 8n);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'MEDIUM',
        message: expect.stringMatching(
          `^${proposer} made proposal 7 to Watched: Raise the fee. Votes count from block \\d+ to block \\d+. Calls: a payment with 0.000000000000000005 ETH to ${target}.$`,
        ),
        meta: {
          event: 'ProposalCreated',
          proposalId: '7',
          targets: [target],
          values: ['5'],
          calldatas: ['0x1234'],
        },
      },
      {
        severity: 'MEDIUM',
        message: expect.stringMatching(
          /^Proposal 7 of Watched is queued for execution. It can be executed in (2 days|1 day 23 hours) at the earliest.$/,
        ),
        meta: { event: 'ProposalQueued', isShort: false },
      },
      { message: 'Proposal 7 of Watched was executed.' },
      { meta: { event: 'ProposalCanceled', proposalId: '8' } },
    ]);
  });

  it('cuts a long description between characters', async () => {
    const [proposer, target] = chain.anvil.accounts;
    const observer = await chain.watch('governance', {}, governor);
    await governor.send(proposer, 'propose', 7n, target, 5n, '0x', `a${'🦊'.repeat(1500)}`);
    const [found] = await observer.catchUp();
    expect(found?.message).toMatch(/: a(🦊){99}… Votes/u);
    expect(found?.meta.description).toBe(`a${'🦊'.repeat(999)}`);
  });

  it('is high when the delay is below the minimum, not when it is just that', async () => {
    const [owner, target] = chain.anvil.accounts;
    const observer = await chain.watch('governance', { minDelay: '2 days' }, governor);
    await governor.send(owner, 'schedule', id, target, 0n, '0x', 2n * day);
    await governor.send(owner, 'schedule', id, target, 0n, '0x', 2n * day - 1n);
    await governor.send(owner, 'executeCall', id, target, 0n, '0x');
    await governor.send(owner, 'cancelCall', id);
    await governor.send(owner, 'updateDelay', 60n);
    const now = BigInt((await chain.anvil.block()).timestamp);
    await governor.send(owner, 'queue', 9n, now + day);
    const found = await observer.catchUp();
    expect(found.map(({ severity, meta }) => [meta.event, severity])).toEqual([
      ['CallScheduled', 'MEDIUM'],
      ['CallScheduled', 'HIGH'],
      ['CallExecuted', 'MEDIUM'],
      ['Cancelled', 'MEDIUM'],
      ['MinDelayChange', 'HIGH'],
      ['ProposalQueued', 'HIGH'],
    ]);
    expect(found[1]?.message).toBe(
      `Watched will call ${target} in 1 day 23 hours at the earliest. Calls: an empty call to ${target}. That is less than the 2 days wanted.`,
    );
    expect(found[4]?.message).toBe(
      'The least delay of Watched changed from 2 days to 1 minute. That is less than the 2 days wanted.',
    );
  });

  it('keeps quiet about other governors and ordinary calls', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const other = await anvil.deploy(artifacts.GovernorLike);
    const observer = await chain.watch('governance', {}, governor);
    await other.send(owner, 'execute', 7n);
    await anvil.send({ from: owner, to: governor.address, data: '0x12345678' });
    expect(await observer.catchUp()).toEqual([]);
  });

  it('refuses a delay that is no time', async () => {
    await expect(chain.watch('governance', { minDelay: 'soon' }, governor)).rejects.toThrow('/minDelay');
  });
});
