import { setTimeout as sleep } from 'node:timers/promises';
import { toAddress } from '../src/chains/bitcoin/script.ts';
import { icpLedgerId } from '../src/chains/icp/createLedger.ts';
import { transferCoins } from '../src/chains/solana/instructions.ts';
import { addLedger, canisterId } from '../testing/icp/ledgerCanister.ts';
import { startReplica } from '../testing/icp/startReplica.ts';
import { createBranches } from '../testing/simulator/families/createBranches.ts';
import { familyNodes } from '../testing/simulator/families/familyNodes.ts';
import { startFamilyNode } from '../testing/simulator/families/startFamilyNode.ts';
import { findBitcoind, startBitcoind } from '../testing/startBitcoind.ts';
import { findSurfnet, keyOf, startSolana } from '../testing/startSolana.ts';
import { payment, startStandIn as startStandInStellar } from '../testing/stellar/startStellar.ts';
import { stellarKey } from '../testing/stellar/stellarKey.ts';

export const otherUids = ['bitcoin', 'solana', 'stellar', 'icp'] as const;
export type OtherUid = (typeof otherUids)[number];

/** A chain beside the one of Ethereum, with a treasury that pays and is paid. */
export type Other = {
  uid: OtherUid;
  /** What really runs there, for people. */
  runs: string;
  urls: readonly string[];
  /** Which network it is, where Vigil would refuse one that is not the public one. */
  network?: string;
  treasury: string;
  /** Detectors and triggers that see what happens there. */
  detectors: Readonly<Record<string, Record<string, unknown>>>;
  /** Makes a block with something in it. */
  play(): Promise<unknown>;
  stop(): Promise<void> | void;
};

/** As far apart as the stand-in of Stellar says that its ledgers close, so that its clock does not run ahead. */
const everyMs = 5000;
const detectors = { large_transfer: { threshold: '1' }, outflow_rate: { limit: '3' } };

const starts = { bitcoin: startBitcoin, solana: startSol, stellar: startStellarNetwork, icp: startIcp };

export function startOther(uid: OtherUid): Promise<Other> {
  return starts[uid]();
}

/** Goes on with a chain until it is stopped. */
export async function driveOther({ play }: Other, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const next = sleep(everyMs);
    await play();
    await next;
  }
}

async function startBitcoin(): Promise<Other> {
  const command = findBitcoind();
  if (!command) return startStandIn('bitcoin', 'no bitcoind was found on this machine');
  const node = await startBitcoind(command);
  await node.mine(101);
  const own = await node.address();
  const { scriptPubKey } = await node.rpc<{ scriptPubKey: string }>('getaddressinfo', own);
  let isFunded = false;
  return {
    uid: 'bitcoin',
    runs: 'a real bitcoind with a network of its own (regtest)',
    urls: [node.url],
    treasury: String(toAddress(scriptPubKey)),
    detectors: { ...detectors, utxo_spend: {} },
    async play() {
      isFunded = !isFunded;
      if (isFunded) return node.pay([[own, 2]]);
      // Everything that the treasury has, to another address of the node's wallet.
      const coins = await node.rpc<{ txid: string; vout: number; amount: number }[]>(
        'listunspent',
        1,
        9_999_999,
        [own],
      );
      const sum = coins.reduce((all, { amount }) => all + amount, 0);
      const raw = await node.rpc('createrawtransaction', coins, [
        { [await node.address()]: (sum - 0.001).toFixed(8) },
      ]);
      const { hex } = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', raw);
      return node.rpc('generateblock', await node.address(), [hex]);
    },
    stop: node.stop,
  };
}

async function startSol(): Promise<Other> {
  const surfnet = findSurfnet();
  if (!surfnet) return startStandIn('solana', 'the virtual machine of Solana is not built for this machine');
  const solana = await startSolana(surfnet);
  const [treasury, friend] = [keyOf(5), keyOf(9)];
  await solana.pay(treasury.address, 50_000_000_000n);
  let isIn = false;
  return {
    uid: 'solana',
    runs: 'the real virtual machine (surfpool), behind a proxy that stands in for slots and finality',
    urls: [solana.url, solana.wsUrl],
    treasury: treasury.address,
    detectors: { ...detectors, durable_nonce: {} },
    play() {
      isIn = !isIn;
      return isIn
        ? solana.pay(treasury.address, 2_000_000_000n)
        : solana.send([transferCoins(treasury.address, friend.address, 2_000_000_000n)], treasury);
    },
    stop: solana.stop,
  };
}

async function startStellarNetwork(): Promise<Other> {
  const node = await startStandInStellar({ isUnified: true });
  const [treasury, friend] = [stellarKey(5), stellarKey(9)];
  await node.fund(treasury, friend);
  let isIn = false;
  return {
    uid: 'stellar',
    runs: 'a stand-in that checks and applies transactions as the protocol says; there is no node to be had as a package',
    urls: [node.url],
    network: node.passphrase,
    treasury: treasury.address,
    detectors: { large_transfer: { threshold: '1' } },
    async play() {
      isIn = !isIn;
      const [from, to] = isIn ? [friend, treasury] : [treasury, friend];
      await node.submit([payment(to.address, 'native', 20_000_000n)], from);
    },
    stop: node.stop,
  };
}

async function startIcp(): Promise<Other> {
  const replica = await startReplica();
  const ledger = addLedger(replica, icpLedgerId, { kind: 'icp', symbol: 'ICP' });
  const [treasury, friend] = [canisterId(9), canisterId(40)];
  for (const holder of [treasury, friend]) ledger.mint(holder, 1_000_000_000_000n);
  let isIn = false;
  return {
    uid: 'icp',
    runs: 'a small replica with a root key of its own, whose certificates are checked as those of the network',
    urls: [replica.url],
    network: replica.rootKey,
    treasury,
    detectors: { large_transfer: { threshold: '1' } },
    async play() {
      isIn = !isIn;
      ledger.move(isIn ? friend : treasury, isIn ? treasury : friend, 200_000_000n);
    },
    stop: replica.stop,
  };
}

/** Blocks of random payments, which no node has checked. */
async function startStandIn(uid: 'bitcoin' | 'solana', why: string): Promise<Other> {
  const family = familyNodes[uid];
  const below = (limit: number) => Math.floor(Math.random() * limit);
  const random = { below, chance: (share: number) => Math.random() < share };
  const chain = createBranches(random, family.toHash, family.skips);
  chain.extend(10);
  const node = await startFamilyNode(chain, family);
  return {
    uid,
    runs: `a stand-in with made-up payments, because ${why}`,
    urls: [node.url],
    treasury: family.address(0),
    detectors: { large_transfer: { threshold: '1' } },
    async play() {
      if (random.chance(0.1)) chain.fork();
      else chain.extend(1);
    },
    stop: node.stop,
  };
}
