import { recommendDetectors } from '../../../src/detectors/recommendDetectors.ts';
import { cast } from './cast.ts';
import { parties } from './mainnetCast.ts';

export type Watched = {
  readonly detector: string;
  readonly on: string;
  readonly settings: Readonly<Record<string, unknown>>;
};

const { token, usd, vault, pool, lending, bridge, safe, governor, proxy, feed, stableFeed, wallet, router } =
  cast;
const at = (detector: string, on: string, settings: Watched['settings'] = {}): Watched => ({
  detector,
  on,
  settings,
});

/** Detectors that look at blocks, with settings that someone who knows the contract would choose. */
export const watched: readonly Watched[] = [
  at('attack_detector', vault),
  at('ownership_change', token),
  at('proxy_upgrade', proxy),
  at('contract_hash_verification', proxy),
  at('access_control_change', token),
  at('pause_state', lending),
  at('aml', vault),
  at('sanctioned_interaction', vault),
  at('mixer_funding', vault),
  at('address_poisoning', wallet),
  at('large_transfer', vault, { token, threshold: '50000' }),
  at('outflow_rate', vault, { token, limit: '15%' }),
  at('outflow_rate', pool, { limit: '25%' }),
  at('outflow_rate', lending, { token: usd, limit: '30%', window: '10 min', factor: 5 }),
  at('outflow_rate', bridge, { limit: '10%' }),
  at('tvl_drop', vault, { tokens: [{ token, threshold: '5%' }], native: false }),
  at('tvl_drop', bridge, { nativeThreshold: '5%' }),
  at('wallet_balance', wallet, { condition: '<< 5', when: 'block' }),
  at('price_monitor', feed, { condition: '> 10%', when: 'block' }),
  at('depeg', stableFeed, { when: 'block' }),
  at('oracle_staleness', feed),
  at('total_supply', token, { expectedTotalSupply: '9000000', trackChanges: false, when: 'block' }),
  at('circulation_supply', token),
  at('tokenomics_allocation', token),
  at('holder_concentration', token, { holders: [vault, pool], condition: '>> 60', cron: '1 min' }),
  at('unlimited_approval', wallet, { allowedSpenders: [router] }),
  at('block_anomaly', vault),
  at('block_reorg', vault),
  at('chain_halt', vault),
  at('failed_tx_spike', vault),
  at('failed_tx_spike', pool),
  at('gas_anomaly', vault),
  at('gas_anomaly', pool),
  at('flash_loan', vault),
  at('reentrancy', vault),
  at('reentrancy', bridge),
  at('drain', vault),
  at('drain', bridge),
  at('suspicious_deployment', vault),
  at('price_manipulation', vault),
  at('safe_multisig', safe, { events: { ExecutionSuccess: 'OFF' } }),
  at('governance', governor),
  at('contract_call', token, {
    function: 'totalSupply()(uint256)',
    decimals: 18,
    condition: '> 5%',
    when: 'block',
  }),
  at('custom_event', vault, { signature: 'Drained(address)' }),
  at('http_probe', vault, { url: 'https://status.example' }),
];

/** All that Vigil recommends for contracts of the main network, as it recommends it. */
export const recommended: readonly Watched[] = parties.flatMap(({ address, inspection }) =>
  recommendDetectors(inspection).map(({ schemaName, config }) => at(schemaName, address, config)),
);

/** Detectors that are not measured, with the reason: a new one is measured or stands here. */
export const leftOut: Readonly<Record<string, string>> = {
  absence: 'reports what does not happen',
  alert_rate: 'counts the alerts of others',
  custom_function: 'reports what its owner describes',
  custom_tx: 'reports what its owner describes',
  dns_monitor: 'looks at no block',
  durable_nonce: 'is of another family',
  invariant: 'reports what its owner describes',
  mempool_conflict: 'is of another family',
  proof_of_reserves: 'reads a feed that these worlds do not have',
  token_freeze: 'is of another family',
  utxo_spend: 'is of another family',
};

/** What is not recommended for all of them, and looks at every call of a transaction. */
export const busiest: readonly Watched[] = parties.flatMap(({ address }) =>
  ['reentrancy', 'price_manipulation', 'flash_loan'].map((detector) => at(detector, address)),
);
