import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTopic } from '../../src/codecs/evm/abi.ts';
import { addressTopic } from '../../src/codecs/evm/words.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Observer, observeTrigger } from '../../testing/observeDetector.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const triggers: Observer[] = [];
afterAll(() => Promise.all(triggers.map((observer) => observer.close())));

/** Emits the log that its call data has in four words (three topics and the data); asked anything shorter, it jumps to nowhere. */
const oddCode = '0x36602010600a576000565b60603560005260403560203560003560206000a300';
const odd = `0x${'0dd'.repeat(13)}0`;
const much = 2n ** 256n - 1n;

function oddLog(signature: string, from: string, to: string) {
  const words = [eventTopic(signature), addressTopic(from), addressTopic(to), `0x${'f'.repeat(64)}`];
  return { to: odd, data: `0x${words.map((word) => word.slice(2)).join('')}` };
}

let token: Contract;
beforeAll(async () => {
  token = await chain.anvil.deploy(artifacts.Token, 'Dollar', 'USD', 6, 10n ** 15n);
  await chain.anvil.rpc('anvil_setCode', odd, oddCode);
});

/** Anybody can write a token that nobody can ask, and have it name a victim in the block of a theft. */
describe('a token that cannot be asked', () => {
  it('does not hide the other transfers of a block', async () => {
    const { anvil } = chain;
    const [wallet, thief] = anvil.accounts;
    const trigger = await observeTrigger(anvil.url, 'ERC20_TRANSFER', {}, { address: wallet });
    triggers.push(trigger);
    await trigger.skip();
    const theft = { to: token.address, data: token.encode('transfer', thief, 5_000_000n) };
    const noise = oddLog('Transfer(address,address,uint256)', wallet, thief);
    await anvil.sendTogether([noise, theft, noise]);
    const found = await trigger.catchUp();
    expect(found.filter(({ meta }) => meta.token === token.address)).toMatchObject([
      { meta: { amount: '5', symbol: 'USD', to: thief } },
    ]);
  });

  it('does not hide the other approvals of a block', async () => {
    const { anvil } = chain;
    const [wallet, thief] = anvil.accounts;
    const detector = await chain.watch('unlimited_approval', {}, { address: wallet });
    const theft = { to: token.address, data: token.encode('approve', thief, much) };
    const noise = oddLog('Approval(address,address,uint256)', wallet, thief);
    await anvil.sendTogether([noise, theft, noise]);
    const found = await detector.catchUp();
    expect(found.filter(({ meta }) => meta.token === token.address)).toMatchObject([
      { meta: { spender: thief, isUnlimited: true } },
    ]);
  });

  it('does not hide the flash loan that it claims to be of', async () => {
    const { anvil } = chain;
    const [owner, wallet] = anvil.accounts;
    const thief = await anvil.deployMulticall();
    await token.send(owner, 'transfer', thief.address, 1_000_000n);
    const detector = await chain.watch('flash_loan', {}, { address: wallet });
    const loan = oddLog('FlashLoan(address,address,uint256,uint256)', thief.address, odd);
    const calls = [loan, { to: token.address, data: token.encode('transfer', wallet, 1n) }].map(
      ({ to, data }) => ({ target: to, allowFailure: false, callData: data }),
    );
    await thief.send(owner, 'aggregate3', calls);
    expect(await detector.catchUp()).toMatchObject([{ meta: { provider: 'balancer', token: odd } }]);
  });
});
