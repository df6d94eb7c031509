import { isRecord, membersOf } from '../../lib/isRecord.ts';
import type { Change } from '../../model/block.ts';
import { type Raw, textOf } from '../net/members.ts';
import { type EntryStep, pairsOf, readBalance } from './entries.ts';
import { assetName, type Network } from './network.ts';

type Found = Omit<Change, 'position'>;

/** Changes of control over accounts, assets and contracts by the steps of a successful transaction. */
export function findChanges(steps: readonly EntryStep[], network: Network): Change[] {
  return steps
    .flatMap(({ before, after }) => (before && after ? compare(before, after, network) : []))
    .map((change, position) => ({ ...change, position }));
}

function compare(before: Raw, after: Raw, network: Network): Found[] {
  if (isRecord(before.account) && isRecord(after.account)) return ofAccount(before.account, after.account);
  if (isRecord(before.trustline) && isRecord(after.trustline))
    return ofTrustline(before.trustline, after.trustline, network);
  if (isRecord(before.contract_data) && isRecord(after.contract_data))
    return ofContract(before.contract_data, after.contract_data);
  return [];
}

/** Bits of an account by their names. */
const issuerFlags = [
  'authorization required',
  'authorization revocable',
  'flags immutable',
  'clawback enabled',
];

function ofAccount(before: Raw, after: Raw): Found[] {
  const subject = textOf(after.account_id, 'account');
  const differing = (what: Change['what'], part: string, show: (account: Raw) => string): Found[] => {
    const [was, is] = [show(before), show(after)];
    return was === is ? [] : [{ subject, what, part, before: was, after: is }];
  };
  return [
    ...differing('signers', 'signers', showSigners),
    ...differing('permission', 'thresholds', showThresholds),
    ...differing('flags', 'issuer flags', ({ flags }) => showFlags(Number(flags))),
    ...differing('flags', 'home domain', ({ home_domain: domain }) => String(domain) || 'none'),
  ];
}

function showSigners({ signers }: Raw): string {
  const list = (Array.isArray(signers) ? signers : []) as unknown[];
  const shown = list.map((signer) => {
    const { key, weight } = membersOf(signer);
    return `${String(key)} (weight ${String(weight)})`;
  });
  return shown.join(', ') || 'none';
}

function showThresholds({ thresholds }: Raw): string {
  const [master, low, medium, high] = Buffer.from(String(thresholds), 'hex');
  return `key ${master}, low ${low}, medium ${medium}, high ${high}`;
}

function showFlags(flags: number): string {
  return issuerFlags.filter((_, bit) => flags & (1 << bit)).join(', ') || 'none';
}

/** The bit of a trustline whose holder may use the asset freely. */
const authorized = 1;

function ofTrustline(before: Raw, after: Raw, network: Network): Found[] {
  const holder = textOf(after.account_id, 'account');
  const isAuthorized = ({ flags }: Raw) => (Number(flags) & authorized) !== 0;
  const name = assetName(after.asset);
  const [, issuer] = name.split(':');
  if (issuer === undefined) return [];
  return ofHolder(
    holder,
    name,
    [network.assetOf(after.asset), issuer],
    isAuthorized(before),
    isAuthorized(after),
  );
}

/** Reported for the holder, and for those who watch the asset or its issuer. */
function ofHolder(
  holder: string,
  asset: string,
  watched: readonly string[],
  was: boolean,
  is: boolean,
): Found[] {
  if (was === is) return [];
  const change = { what: 'frozen', before: String(!was), after: String(!is) } as const;
  return [
    { subject: holder, part: asset, ...change },
    ...watched.map((subject): Found => ({ subject, part: holder, ...change })),
  ];
}

function ofContract(before: Raw, after: Raw): Found[] {
  const subject = textOf(after.contract, 'contract');
  const [was, is] = [readBalance(before), readBalance(after)];
  if (was && is) return ofHolder(is.holder, subject, [subject], was.isAuthorized, is.isAuthorized);
  const [old, next] = [instanceOf(before), instanceOf(after)];
  if (!old || !next) return [];
  const code: Found[] =
    old.code === next.code ? [] : [{ subject, what: 'code', before: old.code, after: next.code }];
  const paused: Found[] =
    old.isPaused === next.isPaused
      ? []
      : [{ subject, what: 'frozen', before: String(old.isPaused), after: String(next.isPaused) }];
  return [...code, ...paused, ...ofOwners(subject, old.owners, next.owners, next.code === assetCode)];
}

/** Code of a contract that stands for an issuer's asset. */
const assetCode = 'the asset contract';
/** Names under which contracts keep who may do everything with them. */
const ownerNames = /^(admin|administrator|owner)$/i;

function ofOwners(
  subject: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  isAsset: boolean,
): Found[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): Found[] => {
    const [was, is] = [before.get(name) ?? null, after.get(name) ?? null];
    if (was === is) return [];
    return [{ subject, what: 'owner', ...(isAsset && { part: 'asset admin' }), before: was, after: is }];
  });
}

type Instance = { code: string; isPaused: boolean; owners: ReadonlyMap<string, string> };

function instanceOf({ key, val }: Raw): Instance | undefined {
  const { contract_instance: instance } = membersOf(val);
  if (key !== 'ledger_key_contract_instance' || !isRecord(instance)) return undefined;
  const { wasm } = membersOf(instance.executable);
  const owners = new Map<string, string>();
  let isPaused = false;
  for (const [name, value] of pairsOf(instance.storage)) {
    const { address, bool } = membersOf(value);
    if (/^(is_?)?paused$/i.test(name) && bool === true) isPaused = true;
    if (ownerNames.test(name) && typeof address === 'string') owners.set(name, address);
  }
  return { code: typeof wasm === 'string' ? wasm : assetCode, isPaused, owners };
}
