import { afterAll, expect, it } from 'vitest';
import { parseAsset } from '../../src/chains/stellar/network.ts';
import { startStellar, stellarKey, stellarPassphrase } from '../../testing/stellar/startStellar.ts';
import { until } from '../../testing/until.ts';
import { createFamilyFlow } from './support/createFamilyFlow.ts';

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

it('Stellar: a ledger raises an alert, which notifies and freezes the thief once, through kill -9 and endpoints that are dead or lie', async () => {
  const [node, liar] = await Promise.all([startStellar({ isUnified: true }), startStellar()]);
  liar.faults.lying = true;
  const flow = await createFamilyFlow('stellar', {
    VIGIL_RPC_STELLAR: `http://127.0.0.1:9,${liar.url},${node.url}`,
    VIGIL_CHAIN_STELLAR_NETWORK: stellarPassphrase,
  });
  stops.push(flow.stop, node.stop, liar.stop);
  const key = (number: number) => stellarKey(number);
  const [issuer, treasury, thief] = [key(41), key(42), key(43)];
  const asset = `GOLD:${issuer.address}`;
  const gold = parseAsset(asset);
  const pay = (destination: string) => ({
    // Nearly as much as an asset can have.
    payment: { destination, asset: gold, amount: '9000000000000000000' },
  });
  for (const { address } of [issuer, treasury, thief]) node.fund(address, 1_000_000_000n);
  for (const holder of [treasury, thief])
    node.submit([{ change_trust: { line: gold, limit: '9223372036854775807' } }], holder);
  const revocable = { set_flags: 2, home_domain: '<b>"{{x}}' };
  const unset = ['inflation_dest', 'clear_flags', 'master_weight', 'low_threshold', 'med_threshold'];
  const none = Object.fromEntries([...unset, 'high_threshold', 'signer'].map((name) => [name, null]));
  node.submit([pay(treasury.address)], issuer);
  node.submit([{ set_options: { ...none, ...revocable } }], issuer);

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
    height: async () => node.latest(),
  });
  expect(wallet.address).toBe(issuer.address);
  const theft = node.submit([pay(thief.address)], treasury);
  await flow.raised(theft);
  await flow.crash();
  // A ledger on top of the call confirms it.
  await until(async () => {
    const [intent] = await flow.intents();
    if (intent?.state === 'SUBMITTED') node.close();
    return intent?.state === 'CONFIRMED';
  }, 120_000);
  expect(await flow.intents()).toMatchObject([{ state: 'CONFIRMED' }]);
  expect(node.state.trustline(thief.address, gold)).toMatchObject({ flags: 0 });
  // Each transaction of the issuer took one number: two by hand, and one of Vigil.
  expect(BigInt(node.state.account(issuer.address)!.seq_num) % 2n ** 32n).toBe(3n);
  expect(await flow.alerts(`txHash:${theft}`)).toHaveLength(1);
  await until(() => flow.sink.received.some(({ text }) => text.includes('900,000,000,000 GOLD moved from')));
});
