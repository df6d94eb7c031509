import type { ContractKind, Inspection } from '../model/contractKinds.ts';
import { detectors } from './detectors.ts';

/** A detector that fits a contract, with its configuration and the reason. */
export type Recommendation = {
  readonly schemaName: string;
  readonly title: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly reason: string;
};

/** Proposed in this order among those of one kind of contract; a detector that is not named follows them. */
const order = [
  'drain',
  'tvl_drop',
  'outflow_rate',
  'contract_call',
  'flash_loan',
  'reentrancy',
  'suspicious_deployment',
  'price_manipulation',
  'circulation_supply',
  'large_transfer',
  'custom_event',
  'illegitimate_transfer',
  'safe_multisig',
  'oracle_staleness',
  'price_monitor',
  'contract_hash_verification',
  'initializer_call',
  'mixer_funding',
  'failed_tx_spike',
  'wallet_balance',
  'unlimited_approval',
  'address_poisoning',
  'sanctioned_interaction',
];

const proposing = [...detectors.values()]
  .filter(({ recommendedFor }) => recommendedFor)
  .sort((a, b) => rankOf(a.name) - rankOf(b.name));

function rankOf(name: string): number {
  const index = order.indexOf(name);
  return index < 0 ? order.length : index;
}

/** The detectors that fit what stands at an address; at most one of each kind of detector. */
export function recommendDetectors(inspection: Inspection): Recommendation[] {
  const { hasCode, kinds } = inspection;
  const groups = hasCode
    ? ([...kinds.filter((kind) => !isShare(kinds, kind)), 'CONTRACT'] as const)
    : (['ACCOUNT'] as const);
  const recommended = new Map<string, Recommendation>();
  for (const group of groups)
    for (const { name, title, recommendedFor } of proposing) {
      const proposal = recommendedFor?.[group]?.(inspection);
      if (!proposal || recommended.has(name)) continue;
      const { config = {}, reason } = proposal;
      recommended.set(name, { schemaName: name, title, config, reason });
    }
  return [...recommended.values()];
}

/** The shares of vaults and pools are minted, burned and moved by everyone who enters or leaves. */
function isShare(kinds: readonly ContractKind[], kind: ContractKind): boolean {
  return kind === 'ERC20' && (kinds.includes('ERC4626') || kinds.includes('POOL'));
}
