import { afterAll, expect, it } from 'vitest';
import { parseAsset } from '../../src/chains/stellar/network.ts';
import { payment, setOptions, startStellar, stellarNode } from '../../testing/stellar/startStellar.ts';
import { createStellarKey } from '../../testing/stellar/stellarKey.ts';
import { until } from '../../testing/until.ts';
import { createFamilyFlow } from './support/createFamilyFlow.ts';
import { startLiar } from './support/startLiar.ts';

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

it(`Stellar (${stellarNode}): a ledger raises an alert, which notifies and freezes the thief once, through kill -9 and endpoints that are dead or lie`, async () => {
  const node = await startStellar({ isUnified: true });
  // It knows of no transaction, and says of each that its time is over.
  const liar = await startLiar(node.url, async (method, truth, { hash }) =>
    method === 'getTransaction' && /[1-9a-f]/.test(hash)
      ? { ...(await truth()), status: 'NOT_FOUND', latestLedgerCloseTime: '9999999999' }
      : undefined,
  );
  const flow = await createFamilyFlow('stellar', {
    VIGIL_RPC_STELLAR: `http://127.0.0.1:9,${liar.url},${node.url}`,
    VIGIL_CHAIN_STELLAR_NETWORK: node.passphrase,
  });
  stops.push(flow.stop, liar.stop, node.stop);
  const [issuer, treasury, thief] = [createStellarKey(), createStellarKey(), createStellarKey()];
  const asset = `GOLD:${issuer.address}`;
  const gold = parseAsset(asset);
  // Nearly as much as an asset can have.
  const all = 9_000_000_000_000_000_000n;
  await node.fund(issuer, treasury, thief);
  for (const holder of [treasury, thief])
    await node.submit([{ change_trust: { line: gold, limit: '9223372036854775807' } }], holder);
  await node.submit([payment(treasury.address, gold, all)], issuer);
  await node.submit([setOptions({ set_flags: 2, home_domain: '<b>"{{x}}' })], issuer);
  const { seq_num: before } = await node.account(issuer.address);

  const wallet = await flow.watch({
    contract: { address: treasury.address, name: 'Treasury <b>"&{{x}}' },
    privateKey: issuer.seed,
    action: {
      name: 'Freeze',
      funcSignature: 'set_trust_line_flags',
      params: Object.entries({ trustor: thief.address, asset, authorization: 'none' }).map(
        ([name, value]) => ({
          name,
          value,
        }),
      ),
    },
    detector: { name: 'large_transfer', config: { threshold: '500000' } },
    height: node.latest,
  });
  expect(wallet.address).toBe(issuer.address);
  const theft = await node.submit([payment(thief.address, gold, all)], treasury);
  await flow.raised(theft);
  await flow.crash();
  // A ledger on top of the call confirms it.
  await until(async () => {
    const [intent] = await flow.intents();
    if (intent?.state === 'SUBMITTED') await node.nextLedger();
    return intent?.state === 'CONFIRMED';
  }, 120_000);
  expect(await flow.intents()).toMatchObject([{ state: 'CONFIRMED' }]);
  expect(await node.trustline(thief.address, gold)).toMatchObject({ flags: 0 });
  // Each transaction takes one number, and Vigil sent one.
  expect(BigInt((await node.account(issuer.address)).seq_num)).toBe(BigInt(before) + 1n);
  expect(await flow.alerts(`txHash:${theft}`)).toHaveLength(1);
  await until(() => flow.sink.received.some(({ text }) => text.includes('900,000,000,000 GOLD moved from')));
});
