import { randomBytes } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { createNetwork } from '../../src/chains/stellar/network.ts';
import { decodeXdr, encodeXdr, xdrBytes } from '../../src/chains/stellar/xdr.ts';
import { contractAddress } from '../../src/codecs/stellar/strkey.ts';
import type { Json } from '../startTestApi.ts';
import { until } from '../until.ts';
import { signOperations } from './signOperations.ts';
import { type StandInOptions, startStellarRpc } from './startStellarRpc.ts';
import type { StellarKey } from './stellarKey.ts';
import { vaultSpec } from './vaultSpec.ts';
import { vaultWasm } from './vaultWasm.ts';

export type Stellar = Awaited<ReturnType<typeof startStellar>>;
export type StandInStellar = Awaited<ReturnType<typeof startStandIn>>;

/** Why a test does not run on a real node. */
export const onStandInOnly =
  'It needs a node that fails on demand, so it does not run on VIGIL_TEST_STELLAR_RPC.';
/** What is tested on, for the names of tests. */
export const stellarNode = process.env.VIGIL_TEST_STELLAR_RPC ?? 'stand-in';

/**
 * A network on which tests act as anyone would, through Stellar RPC and a friendbot: the one whose node VIGIL_TEST_STELLAR_RPC
 * names, else the stand-in.
 */
export async function startStellar(options: StandInOptions = {}) {
  const url = process.env.VIGIL_TEST_STELLAR_RPC;
  if (!url) return startStandIn(options);
  const network = await useNetwork(url);
  return {
    ...network,
    standIn: undefined,
    /** Waits for one ledger more. */
    async nextLedger(): Promise<void> {
      const seen = await network.latest();
      await until(async () => (await network.latest()) > seen);
    },
    stop: async () => {},
  };
}

export async function startStandIn(options: StandInOptions = {}) {
  const standIn = await startStellarRpc(options);
  const nextLedger = async () => void standIn.close();
  return { ...(await useNetwork(standIn.url)), standIn, nextLedger, stop: standIn.stop };
}

/** The operation that calls a function of a contract. */
export const callOf = (contract_address: string, function_name: string, ...args: unknown[]): Json =>
  hostCall({ invoke_contract: { contract_address, function_name, args } });
const hostCall = (host_function: Json): Json => ({ invoke_host_function: { host_function, auth: [] } });

export const payment = (destination: string, asset: unknown, amount: bigint): Json => ({
  payment: { destination, asset, amount: String(amount) },
});

const unsetOptions = Object.fromEntries(
  [
    'inflation_dest',
    'clear_flags',
    'set_flags',
    'master_weight',
    'low_threshold',
    'med_threshold',
    'high_threshold',
    'home_domain',
    'signer',
  ].map((name) => [name, null]),
);
export const setOptions = (options: Json): Json => ({ set_options: { ...unsetOptions, ...options } });

async function useNetwork(url: string) {
  const { passphrase, friendbotUrl } = await rpc('getNetwork');
  const friendbot =
    process.env.VIGIL_TEST_STELLAR_FRIENDBOT ?? friendbotUrl ?? new URL('/friendbot', url).href;
  const network = createNetwork(passphrase);

  async function rpc(method: string, params: Json = {}): Promise<Json> {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as Json;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async function findEntry(key: Json): Promise<Json | undefined> {
    const { entries } = await rpc('getLedgerEntries', { keys: [encodeXdr('LedgerKey', key)] });
    return entries?.[0] && (decodeXdr('LedgerEntryData', entries[0].xdr) as Json);
  }

  const account = async (address: string): Promise<Json> => {
    const found = await findEntry({ account: { account_id: address } });
    if (!found) throw new Error(`There is no account ${address}.`);
    return found.account;
  };

  /** Signs operations by accounts, the first of which is the source, and waits until they are in a ledger; their hash. */
  async function submit(bodies: readonly Json[], ...signers: readonly StellarKey[]): Promise<string> {
    const [source] = signers;
    if (!source) throw new Error('Who signs?');
    const seq = String(BigInt((await account(source.address)).seq_num) + 1n);
    const unsigned = { source: source.address, seq, bodies };
    const simulated = bodies.some((body) => body.invoke_host_function)
      ? await rpc('simulateTransaction', { transaction: signOperations(network, unsigned, []).transaction })
      : undefined;
    if (simulated?.error) throw new Error(simulated.error);
    const { transaction, hash } = signOperations(network, { ...unsigned, simulated }, signers);
    await until(async () => {
      const { status, errorResultXdr } = await rpc('sendTransaction', { transaction });
      if (status === 'ERROR') throw new Error(JSON.stringify(decodeXdr('TransactionResult', errorResultXdr)));
      return status !== 'TRY_AGAIN_LATER';
    });
    await until(async () => (await rpc('getTransaction', { hash })).status !== 'NOT_FOUND');
    return hash;
  }

  async function uploadCode(code: string, payer: StellarKey): Promise<void> {
    await submit([hostCall({ upload_contract_wasm: code })], payer);
  }

  return {
    url,
    passphrase: String(passphrase),
    network,
    submit,
    uploadCode,
    account,
    latest: async (): Promise<number> => (await rpc('getLatestLedger')).sequence,
    balanceOf: async ({ address }: { address: string }) => BigInt((await account(address)).balance),
    trustline: async (holder: string, asset: unknown): Promise<Json | undefined> =>
      (await findEntry({ trustline: { account_id: holder, asset } }))?.trustline,
    /** Gives accounts that do not exist yet 10,000 XLM, as networks for tests do. */
    async fund(...keys: readonly { address: string }[]): Promise<void> {
      for (const { address } of keys) {
        const answer = await fetch(`${friendbot}?addr=${address}`);
        if (!answer.ok)
          throw new Error(
            `The friendbot ${friendbot} answered ${answer.status}: ${await answer.text()} (VIGIL_TEST_STELLAR_FRIENDBOT names another.)`,
          );
        await until(() => findEntry({ account: { account_id: address } }));
      }
    },
    /** A contract of the code of `vaultWasm`, which the key owns. */
    async deployVault(owner: StellarKey, spec: readonly unknown[] = vaultSpec) {
      const { code, hash } = vaultWasm(spec);
      await uploadCode(code, owner);
      const salt = bytesToHex(randomBytes(32));
      const preimage = { address: { address: owner.address, salt } };
      const create = { contract_id_preimage: preimage, executable: { wasm: hash } };
      await submit([hostCall({ create_contract: create })], owner);
      const id = { contract_id: { network_id: network.id, contract_id_preimage: preimage } };
      const address = contractAddress(bytesToHex(sha256(xdrBytes('HashIdPreimage', id))));
      await submit([callOf(address, 'set_owner', { address: owner.address })], owner);
      return { address, hash };
    },
  };
}
