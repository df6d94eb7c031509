import type { Detector } from '../model/detection.ts';
import { absence } from './absence.ts';
import { accessControlChange } from './accessControlChange.ts';
import { addressPoisoning } from './addressPoisoning.ts';
import { alertRate } from './alertRate.ts';
import { allowanceDrain } from './allowanceDrain.ts';
import { aml } from './aml.ts';
import { attackDetector } from './attackDetector.ts';
import { blockAnomaly } from './blockAnomaly.ts';
import { blockReorg } from './blockReorg.ts';
import { chainHalt } from './chainHalt.ts';
import { circulationSupply } from './circulationSupply.ts';
import { contractCall } from './contractCall.ts';
import { contractHashVerification } from './contractHashVerification.ts';
import { customEvent } from './customEvent.ts';
import { customFunction } from './customFunction.ts';
import { customTx } from './customTx.ts';
import { depeg } from './depeg.ts';
import { dnsMonitor } from './dnsMonitor.ts';
import { drain } from './drain.ts';
import { durableNonce } from './durableNonce.ts';
import { failedTxSpike } from './failedTxSpike.ts';
import { flashLoan } from './flashLoan.ts';
import { gasAnomaly } from './gasAnomaly.ts';
import { governance } from './governance.ts';
import { holderConcentration } from './holderConcentration.ts';
import { httpProbe } from './httpProbe.ts';
import { illegitimateTransfer } from './illegitimateTransfer.ts';
import { initializerCall } from './initializerCall.ts';
import { invariant } from './invariant.ts';
import { largeTransfer } from './largeTransfer.ts';
import { mempoolConflict } from './mempoolConflict.ts';
import { mixerFunding } from './mixerFunding.ts';
import { oracleStaleness } from './oracleStaleness.ts';
import { outflowRate } from './outflowRate.ts';
import { ownershipChange } from './ownershipChange.ts';
import { pauseState } from './pauseState.ts';
import { priceManipulation } from './priceManipulation.ts';
import { priceMonitor } from './priceMonitor.ts';
import { reentrancy } from './projectReentrancy.ts';
import { proofOfReserves } from './proofOfReserves.ts';
import { proxyUpgrade } from './proxyUpgrade.ts';
import { safeMultisig } from './safeMultisig.ts';
import { sanctionedInteraction } from './sanctionedInteraction.ts';
import { suspiciousDeployment } from './suspiciousDeployment.ts';
import { tokenFreeze } from './tokenFreeze.ts';
import { tokenomicsAllocation } from './tokenomicsAllocation.ts';
import { totalSupply } from './totalSupply.ts';
import { tvlDrop } from './tvlDrop.ts';
import { unlimitedApproval } from './unlimitedApproval.ts';
import { utxoSpend } from './utxoSpend.ts';
import { walletBalance } from './walletBalance.ts';

const definitions: readonly Detector[] = [
  attackDetector,
  ownershipChange,
  proxyUpgrade,
  contractHashVerification,
  accessControlChange,
  pauseState,
  aml,
  sanctionedInteraction,
  mixerFunding,
  addressPoisoning,
  largeTransfer,
  outflowRate,
  tvlDrop,
  walletBalance,
  priceMonitor,
  depeg,
  oracleStaleness,
  totalSupply,
  circulationSupply,
  tokenomicsAllocation,
  proofOfReserves,
  holderConcentration,
  unlimitedApproval,
  blockAnomaly,
  blockReorg,
  chainHalt,
  failedTxSpike,
  gasAnomaly,
  flashLoan,
  safeMultisig,
  governance,
  contractCall,
  httpProbe,
  dnsMonitor,
  customEvent,
  customFunction,
  customTx,
  invariant,
  utxoSpend,
  reentrancy,
  drain,
  allowanceDrain,
  initializerCall,
  illegitimateTransfer,
  suspiciousDeployment,
  priceManipulation,
  durableNonce,
  tokenFreeze,
  mempoolConflict,
  alertRate,
  absence,
];

export const detectors: ReadonlyMap<string, Detector> = new Map(
  definitions.map((definition) => [definition.name, definition]),
);
