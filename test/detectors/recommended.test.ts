import { beforeAll, describe, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import { inspectContract } from '../../src/chains/evm/inspectContract.ts';
import { recommendDetectors } from '../../src/detectors/recommendDetectors.ts';
import { type Finding, severityOf } from '../../src/model/alert.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';
import { deployProxy } from './support/deployProxy.ts';

const chain = useChain();
const ether = 10n ** 18n;
const unit = 10n ** 6n;
let [owner, user, thief, other]: string[] = [];
let token: Contract;
let money: Contract;
let coin: Contract;
let dollars: Contract;

/** USDC and its feed, where the main network has them. */
const known = {
  dollars: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  feed: '0x8fffffd4afb6115b954bd326cbe7b4ba576818f6',
} as const;

beforeAll(async () => {
  const { anvil } = chain;
  [owner, user, thief, other] = anvil.accounts;
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10_000_000n * ether);
  money = await anvil.deploy(artifacts.Token, 'Money', 'MNY', 18, 10_000_000n * ether);
  coin = await anvil.deploy(artifacts.WrappedCoin);
  const copy = async (artifact: typeof artifacts.Dollars, to: typeof known.dollars | typeof known.feed) => {
    const { address } = await anvil.deploy(artifact);
    await anvil.rpc('anvil_setCode', to, await anvil.rpc('eth_getCode', address, 'latest'));
  };
  await copy(artifacts.Dollars, known.dollars);
  await copy(artifacts.DollarFeed, known.feed);
  dollars = anvil.at(known.dollars, artifacts.Dollars.abi);
  for (const asset of [token, money])
    for (const account of [user, thief, other])
      await asset.send(owner, 'transfer', account, 100_000n * ether);
});

/** All that is recommended for an address, with its defaults. */
async function watchRecommended({ address, chainUid }: Pick<Scene, 'address' | 'chainUid'>) {
  const client = createEvmClient({
    chain: chains.anvil,
    urls: [chain.anvil.url],
    now: Date.now,
    onCall: () => {},
  });
  const head = await client.header('latest');
  const inspection = await inspectContract(client, head!, address.toLowerCase());
  await client.close();
  const contract = {
    implementation: inspection.implementation,
    addressType: inspection.hasCode ? ('CONTRACT' as const) : ('WALLET' as const),
  };
  const proposed = recommendDetectors(inspection);
  const observers: Awaited<ReturnType<typeof chain.watch>>[] = [];
  for (const { schemaName, config } of proposed)
    observers.push(
      await chain.watch(schemaName, config, { address, contract, ...(chainUid && { chainUid }) }),
    );
  async function severe(least: 'MEDIUM' | 'HIGH'): Promise<string[]> {
    await chain.anvil.mine();
    const found: Finding[] = [];
    for (const observer of observers) {
      found.push(...(await observer.catchUp()));
      expect(observer.faults).toEqual([]);
    }
    return found
      .filter(({ severity }) => severityOf[severity] >= severityOf[least])
      .map(({ severity, detectorSchemaName, message }) => `${severity} ${detectorSchemaName}: ${message}`);
  }
  return {
    /** What an ordinary day wakes people up for. */
    day: () => severe('MEDIUM'),
    /** What a robbery does. */
    robbery: () => severe('HIGH'),
  };
}

type Scene = {
  address: string;
  chainUid?: 'ethereum';
  day?: () => Promise<unknown>;
  robbery: () => Promise<unknown>;
};

const run = async (calls: readonly (() => Promise<unknown>)[]) => {
  for (const call of calls) await call();
};

const safeCall = (safe: Contract, from: string, to: string, data: string, value = 0n) =>
  safe.send(
    from,
    'execTransaction',
    to,
    value,
    data,
    0,
    0n,
    0n,
    0n,
    `0x${'0'.repeat(40)}`,
    `0x${'0'.repeat(40)}`,
    '0x',
  );

const scenes: Record<string, () => Promise<Scene>> = {
  'a vault of shares whose price a gift bends': async () => {
    const vault = await chain.anvil.deploy(artifacts.ShareVault, token.address);
    for (const account of [user!, thief!, other!])
      await token.send(account, 'approve', vault.address, 2n ** 255n);
    return {
      address: vault.address,
      day: async () => {
        await vault.send(user!, 'deposit', 1_000n * ether, user);
        await vault.send(other!, 'deposit', 500n * ether, other);
        await vault.send(user!, 'withdraw', 50n * ether, user, user);
        await token.send(owner!, 'transfer', vault.address, ether);
      },
      robbery: () => token.send(thief!, 'transfer', vault.address, 1_000n * ether),
    };
  },
  'a router that calls whatever it is told': async () => {
    const router = await chain.anvil.deploy(artifacts.LooseRouter);
    for (const account of [user!, other!]) {
      await dollars.send(owner!, 'mint', account, 500_000n * unit);
      await dollars.send(account, 'approve', router.address, 500_000n * unit);
    }
    const pull = (from: string, to: string, amount: bigint) =>
      dollars.encode('transferFrom', from, to, amount);
    return {
      address: router.address,
      chainUid: 'ethereum',
      day: () =>
        run([
          () => router.send(user!, 'run', dollars.address, pull(user!, other!, 20_000n * unit)),
          () => router.send(other!, 'run', dollars.address, pull(other!, user!, 10_000n * unit)),
        ]),
      robbery: () => router.send(thief!, 'run', dollars.address, pull(user!, thief!, 400_000n * unit)),
    };
  },
  'a vault behind a proxy that is upgraded by a thief': async () => {
    const { vault, second } = await deployProxy(chain.anvil);
    await vault.send({ from: user!, value: 10n * ether }, 'deposit');
    return {
      address: vault.address,
      day: () => vault.send({ from: other!, value: ether }, 'deposit'),
      robbery: () => vault.send(owner!, 'upgradeToAndCall', second.address, '0x'),
    };
  },
  'an initialiser that is called on a contract in use': async () => {
    const contract = await chain.anvil.deploy(artifacts.LooseInit);
    await contract.send(owner!, 'initialize', owner);
    return {
      address: contract.address,
      day: () => run([() => contract.send(user!, 'use'), () => contract.send(other!, 'use')]),
      robbery: () => contract.send(thief!, 'initialize', thief),
    };
  },
  'a bank that lends by a price that is bent and stays bent': async () => {
    const source = await chain.anvil.deploy(artifacts.RateSource);
    const bank = await chain.anvil.deploy(artifacts.PricedBank, source.address, token.address, money.address);
    for (const account of [user!, thief!, other!]) {
      await token.send(account, 'approve', bank.address, 2n ** 255n);
      await money.send(account, 'approve', bank.address, 2n ** 255n);
    }
    await money.send(owner!, 'transfer', bank.address, 10_000n * ether);
    return {
      address: bank.address,
      day: () =>
        run([
          () => source.send(owner!, 'set', (102n * ether) / 100n),
          () => bank.send(user!, 'borrow', 300n * ether, 200n * ether),
          () => bank.send(other!, 'borrow', 300n * ether, 250n * ether),
          () => bank.send(user!, 'repay', 100n * ether, 100n * ether),
        ]),
      robbery: () =>
        run([
          () => source.send(thief!, 'set', 1_000n * ether),
          () => bank.send(thief!, 'borrow', 10n * ether, 6_000n * ether),
        ]),
    };
  },
  'a Safe that gets a new owner and is emptied': async () => {
    const safe = await chain.anvil.deploy(artifacts.SafeLike);
    await safe.send(owner!, 'setup', [owner, user], 1n);
    await token.send(owner!, 'transfer', safe.address, 10_000n * ether);
    await chain.anvil.send({ from: owner!, to: safe.address, value: 50n * ether });
    return {
      address: safe.address,
      day: () =>
        run([
          () => safeCall(safe, owner!, token.address, token.encode('transfer', user, 100n * ether)),
          () => safeCall(safe, owner!, other!, '0x', ether),
          () => chain.anvil.send({ from: other!, to: safe.address, value: ether }),
        ]),
      robbery: () =>
        run([
          () => safe.send(thief!, 'addOwnerWithThreshold', thief, 1n),
          () => safeCall(safe, thief!, token.address, token.encode('transfer', thief, 9_000n * ether)),
        ]),
    };
  },
  'a lockbox that pays on a forged proof': async () => {
    const box = await chain.anvil.deploy(artifacts.Lockbox);
    for (const account of [user!, other!]) await token.send(account, 'approve', box.address, 2n ** 255n);
    await token.send(owner!, 'transfer', box.address, 100_000n * ether);
    return {
      address: box.address,
      day: () =>
        run([
          () => box.send(user!, 'lock', token.address, 400n * ether),
          () => box.send(other!, 'release', token.address, other, 800n * ether, '0x'),
          () => box.send(other!, 'lock', token.address, 300n * ether),
        ]),
      robbery: () => box.send(thief!, 'release', token.address, thief, 70_000n * ether, '0x'),
    };
  },
  'a lockbox that loses half by small payments, of one block each': async () => {
    const box = await chain.anvil.deploy(artifacts.Lockbox);
    await token.send(owner!, 'transfer', box.address, 100_000n * ether);
    return {
      address: box.address,
      day: () => box.send(other!, 'release', token.address, other, 800n * ether, '0x'),
      robbery: () =>
        run(
          Array.from(
            { length: 12 },
            () => () => box.send(thief!, 'release', token.address, thief, 5_000n * ether, '0x'),
          ),
        ),
    };
  },
  'a token that reports nothing of what it moves, and is taken': async () => {
    const mute = await chain.anvil.deploy(artifacts.MuteToken, 1_000n * ether);
    const box = await chain.anvil.deploy(artifacts.Lockbox);
    await mute.send(owner!, 'transfer', box.address, 1_000n * ether);
    return {
      address: box.address,
      day: () => box.send(user!, 'release', mute.address, user, 10n * ether, '0x'),
      robbery: () => box.send(thief!, 'release', mute.address, thief, 700n * ether, '0x'),
    };
  },
  'coins of a pair that a false swap takes': async () => {
    const pair = await chain.anvil.deploy(artifacts.SwapPair, token.address, money.address);
    for (const asset of [token, money]) await asset.send(owner!, 'transfer', pair.address, 10_000n * ether);
    for (const account of [user!, other!]) await token.send(account, 'approve', pair.address, 2n ** 255n);
    return {
      address: pair.address,
      day: () =>
        run([
          () => pair.send(user!, 'sell', 100n * ether, 98n * ether),
          () => pair.send(other!, 'sell', 50n * ether, 48n * ether),
        ]),
      robbery: () => pair.send(thief!, 'swap', 0n, 6_000n * ether, thief, '0x'),
    };
  },
  'a token of which a fortune is made': async () => {
    const coined = await chain.anvil.deploy(artifacts.Token, 'Coined', 'CND', 18, 1_000_000n * ether);
    return {
      address: coined.address,
      day: () =>
        run([
          () => coined.send(owner!, 'transfer', user, 5_000n * ether),
          () => coined.send(user!, 'transfer', other, 100n * ether),
        ]),
      robbery: () => coined.send(owner!, 'mint', thief, 900_000n * ether),
    };
  },
  'a feed whose price is multiplied': async () => {
    const feed = await chain.anvil.deploy(artifacts.PriceFeed, 8, 10n ** 8n);
    return {
      address: feed.address,
      day: () =>
        run([() => feed.send(owner!, 'set', 101_000_000n), () => feed.send(owner!, 'set', 99_000_000n)]),
      robbery: () => feed.send(thief!, 'set', 5_000_000_000n),
    };
  },
  'a Safe that gets a module': async () => {
    const safe = await chain.anvil.deploy(artifacts.SafeLike);
    await safe.send(owner!, 'setup', [owner, user], 1n);
    return { address: safe.address, robbery: () => safe.send(thief!, 'enableModule', thief) };
  },
  'an owner who is replaced': async () => {
    const { vault } = await deployProxy(chain.anvil);
    return { address: vault.address, robbery: () => vault.send(owner!, 'transferOwnership', thief) };
  },
  'wrapped coins that are unwrapped and taken': async () => {
    const vault = await chain.anvil.deploy(artifacts.OpenVault);
    await chain.anvil.send({ from: owner!, to: vault.address, value: 100n * ether });
    await vault.send(owner!, 'wrap', coin.address, 90n * ether);
    return {
      address: vault.address,
      day: () =>
        run([
          () => vault.send(owner!, 'wrap', coin.address, 5n * ether),
          () => vault.send(owner!, 'unwrapTo', coin.address, vault.address, 40n * ether),
          () => vault.send(owner!, 'unwrapTo', coin.address, user, ether),
        ]),
      robbery: () => vault.send(thief!, 'unwrapTo', coin.address, thief, 50n * ether),
    };
  },
  'a vault of pieces that is emptied': async () => {
    const pieces = await chain.anvil.deploy(artifacts.TokenNft);
    const vault = await chain.anvil.deploy(artifacts.PieceVault);
    const ids = Array.from({ length: 12 }, (_, id) => BigInt(id));
    for (const id of ids) await pieces.send(owner!, 'mint', user, id);
    await pieces.send(user!, 'setApprovalForAll', vault.address, true);
    await vault.send(user!, 'put', pieces.address, ids.slice(0, 11));
    return {
      address: vault.address,
      day: () =>
        run([
          () => vault.send(user!, 'put', pieces.address, ids.slice(11)),
          () => vault.send(user!, 'take', pieces.address, ids.slice(0, 1), user),
        ]),
      robbery: () => vault.send(thief!, 'take', pieces.address, ids.slice(1), thief),
    };
  },
  'a timelock whose roles and treasury are taken': async () => {
    const lock = await chain.anvil.deploy(artifacts.Treasury, [owner]);
    await chain.anvil.send({ from: owner!, to: lock.address, value: 50n * ether });
    const role = await lock.call('PROPOSER_ROLE');
    return {
      address: lock.address,
      day: () => chain.anvil.send({ from: user!, to: lock.address, value: ether }),
      robbery: () => lock.send(owner!, 'grantRole', role, thief),
    };
  },
  'an account whose key is stolen, and that loses half by small payments': async () => {
    const account = chain.anvil.accounts[6]!;
    await token.send(owner!, 'transfer', account, 10_000n * ether);
    return {
      address: account,
      day: () =>
        run([
          () => token.send(account, 'transfer', user, 200n * ether),
          () => chain.anvil.send({ from: account, to: user!, value: 10n * ether }),
        ]),
      robbery: () =>
        run(Array.from({ length: 12 }, () => () => token.send(account, 'transfer', thief, 500n * ether))),
    };
  },
  'an account that approved a thief, who takes what it holds': async () => {
    const account = chain.anvil.accounts[7]!;
    await token.send(owner!, 'transfer', account, 10_000n * ether);
    return {
      address: account,
      day: () =>
        run([
          () => token.send(account, 'transfer', user, 200n * ether),
          () => token.send(account, 'approve', thief, 10_000n * ether),
        ]),
      robbery: () => token.send(thief!, 'transferFrom', account, thief, 9_000n * ether),
    };
  },
  'a lender that reads a pool halfway': async () => {
    const pool = await chain.anvil.deploy(artifacts.RatePool);
    const lender = await chain.anvil.deploy(artifacts.RateLender, pool.address);
    const batch = await chain.anvil.deploy(artifacts.Batch);
    await chain.anvil.send({ from: owner!, to: lender.address, value: 100n * ether });
    return {
      address: lender.address,
      day: () => lender.send(user!, 'borrow', user, ether),
      robbery: () =>
        batch.send(
          thief!,
          'run',
          [pool.address, lender.address, pool.address],
          [
            pool.encode('skew', 3n * ether),
            lender.encode('borrow', thief, 30n * ether),
            pool.encode('skew', ether),
          ],
        ),
    };
  },
};

describe('what is recommended, alone and with its defaults', () => {
  it.each(Object.keys(scenes))(
    'reports %s as HIGH or worse, and an ordinary day not even as MEDIUM',
    async (name) => {
      const { day, robbery, ...place } = await scenes[name]!();
      const watch = await watchRecommended(place);
      await day?.();
      expect(await watch.day()).toEqual([]);
      await robbery();
      expect(await watch.robbery()).not.toEqual([]);
    },
  );
});
