import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { contractAddress } from '../../codecs/stellar/strkey.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { membersOf } from '../../lib/isRecord.ts';
import { xdrBytes } from './xdr.ts';

/** Facts that follow from a network's passphrase. */
export type Network = {
  /** Hash of the passphrase, which all that is signed or hashed for the network begins with. */
  readonly id: string;
  /** `native`, the contract that stands for an asset of an issuer, or the id of a pool for its shares. */
  assetOf(asset: unknown): string;
  /** `CODE:ISSUER` of such a contract, where the asset was met before. */
  nameOf(contract: string): string | undefined;
  /** The same for a contract: the one of the chain's own coin is `native`. */
  tokenOf(contract: string): string;
  /** The contract of the chain's own coin. */
  readonly nativeContract: string;
  hashOf(tagged: unknown): Uint8Array;
};

/** So many assets are remembered; there are some ten thousand that move at all. */
const maxAssets = 20_000;

export function createNetwork(passphrase: string): Network {
  const id = bytesToHex(sha256(utf8ToBytes(passphrase)));
  const contracts = createBoundedMap<string, string>(maxAssets);
  const names = createBoundedMap<string, string>(maxAssets);

  const contractOf = (asset: unknown) =>
    contractAddress(
      bytesToHex(
        sha256(
          xdrBytes('HashIdPreimage', {
            contract_id: { network_id: id, contract_id_preimage: { asset } },
          }),
        ),
      ),
    );
  const nativeContract = contractOf('native');

  return {
    id,
    nativeContract,
    assetOf(asset) {
      if (asset === 'native') return 'native';
      const { pool_share: pool } = membersOf(asset);
      if (typeof pool === 'string') return pool;
      const name = assetName(asset);
      const cached = contracts.get(name);
      if (cached !== undefined) return cached;
      const contract = contractOf(asset);
      contracts.set(name, contract);
      names.set(contract, name);
      return contract;
    },
    nameOf: (contract) => names.get(contract),
    tokenOf: (contract) => (contract === nativeContract ? 'native' : contract),
    hashOf: (tagged) =>
      sha256(xdrBytes('TransactionSignaturePayload', { network_id: id, tagged_transaction: tagged })),
  };
}

/** `native` or `CODE:ISSUER`. */
export function assetName(asset: unknown): string {
  if (asset === 'native') return 'native';
  const { credit_alphanum4: short, credit_alphanum12: long, pool_share: pool } = membersOf(asset);
  const { asset_code: code, issuer } = membersOf(short ?? long);
  return typeof pool === 'string' ? `shares of ${pool}` : `${String(code)}:${String(issuer)}`;
}

/** The asset of such a name in its JSON form; undefined for what is none. */
export function parseAsset(name: string): unknown {
  if (name === 'native') return 'native';
  const [, asset_code = '', issuer] = /^([A-Za-z0-9]{1,12}):(G[A-Z2-7]{55})$/.exec(name) ?? [];
  if (issuer === undefined) return undefined;
  return { [asset_code.length <= 4 ? 'credit_alphanum4' : 'credit_alphanum12']: { asset_code, issuer } };
}
