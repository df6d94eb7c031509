import type { ChainUid } from '../../chains/chains.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Resource } from '../http/resource.ts';
import { apiKey } from './accounts/apiKey.ts';
import { authEndpoints } from './accounts/auth.ts';
import { invite } from './accounts/invite.ts';
import { organisation } from './accounts/organisation.ts';
import { plan } from './accounts/plan.ts';
import { subscription } from './accounts/subscription.ts';
import { tenant } from './accounts/tenant.ts';
import { user } from './accounts/user.ts';
import { action } from './actions/action.ts';
import { approval } from './actions/approval.ts';
import { approvalEndpoints } from './actions/approvalEndpoints.ts';
import { actionEndpoints } from './actions/execution.ts';
import { aggregationEndpoints } from './alerts/aggregation.ts';
import { alertEndpoints } from './alerts/alert.ts';
import { alertSearchEndpoints } from './alerts/alertSearch.ts';
import { createAlertStream } from './alerts/alertStream.ts';
import { histogram } from './alerts/histogram.ts';
import { pushAlerts } from './alerts/pushAlerts.ts';
import { chainEndpoint } from './contracts/chain.ts';
import { contract } from './contracts/contract.ts';
import { project } from './contracts/project.ts';
import { shareEndpoints } from './contracts/share.ts';
import { notifyEndpoints } from './destinations/deliveries.ts';
import { destination } from './destinations/destination.ts';
import { detectionEndpoints } from './detectors/detection.ts';
import { detector } from './detectors/detector.ts';
import { detectorSchema } from './detectors/detectorSchema.ts';
import { trigger } from './detectors/trigger.ts';
import { label } from './labels/label.ts';
import { labelImport } from './labels/labelImport.ts';
import { auditEndpoints } from './records/auditLog.ts';
import { instance } from './scores/instance.ts';
import { instanceMeta } from './scores/instanceMeta.ts';
import { license } from './scores/license.ts';
import { scoreEndpoints } from './scores/scoreEndpoints.ts';
import { scoreGroup } from './scores/scoreGroup.ts';
import { scoreSearch } from './scores/scoreSearch.ts';
import { telemetryEndpoints } from './telemetry/telemetry.ts';
import { usage } from './telemetry/usage.ts';
import { tokenomics } from './tokenomics/holdings.ts';
import { tokenomicsCategory, tokenomicsSchedule } from './tokenomics/tokenomics.ts';
import { wallet } from './wallets/wallet.ts';
import { walletEndpoints } from './wallets/walletEndpoints.ts';

export const resources: readonly Resource[] = [
  organisation,
  tenant,
  user,
  apiKey,
  invite,
  plan,
  subscription,
  project,
  contract,
  wallet,
  destination,
  detectorSchema,
  detector,
  trigger,
  action,
  label,
  license,
  scoreGroup,
  instance,
  instanceMeta,
  tokenomicsCategory,
  tokenomicsSchedule,
];

/** The one list of endpoints. */
export function createEndpoints(confirmations: (uid: ChainUid) => number): Endpoint[] {
  const endpoints = [
    ...authEndpoints,
    ...resources.flatMap(({ endpoints }) => endpoints),
    ...shareEndpoints,
    chainEndpoint(confirmations),
    ...alertSearchEndpoints,
    ...aggregationEndpoints,
    createAlertStream(),
    ...alertEndpoints,
    pushAlerts,
    ...detectionEndpoints,
    ...notifyEndpoints,
    ...walletEndpoints,
    ...actionEndpoints,
    labelImport,
    histogram,
    tokenomics,
    scoreSearch,
    ...scoreEndpoints,
    usage,
    ...telemetryEndpoints,
    ...auditEndpoints,
  ];
  return [...endpoints, ...approval.endpoints, ...approvalEndpoints(endpoints)];
}
