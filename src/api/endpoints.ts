import type { ChainUid } from '../chains/chains.ts';
import { actionEndpoints } from './action.ts';
import { approvalEndpoints } from './approval.ts';
import { auditEndpoints } from './auditLog.ts';
import { authEndpoints } from './auth.ts';
import { chainEndpoint } from './chain.ts';
import { detectionEndpoints } from './detection.ts';
import type { Endpoint } from './endpoint.ts';
import { labelImport } from './labelImport.ts';
import { notifyEndpoints } from './notify.ts';
import { aggregationEndpoints } from './reports/aggregation.ts';
import { alertEndpoints } from './reports/alert.ts';
import { alertSearchEndpoints } from './reports/alertSearch.ts';
import { createAlertStream } from './reports/alertStream.ts';
import { histogram } from './reports/histogram.ts';
import { pushAlerts } from './reports/pushAlerts.ts';
import { scoreSearch } from './reports/scoreSearch.ts';
import { telemetryEndpoints } from './reports/telemetry.ts';
import { tokenomics } from './reports/tokenomics.ts';
import { usage } from './reports/usage.ts';
import type { Resource } from './resource.ts';
import { action } from './resources/action.ts';
import { apiKey } from './resources/apiKey.ts';
import { approval } from './resources/approval.ts';
import { contract } from './resources/contract.ts';
import { destination } from './resources/destination.ts';
import { detector } from './resources/detector.ts';
import { detectorSchema } from './resources/detectorSchema.ts';
import { instance } from './resources/instance.ts';
import { instanceMeta } from './resources/instanceMeta.ts';
import { invite } from './resources/invite.ts';
import { label } from './resources/label.ts';
import { license } from './resources/license.ts';
import { organisation } from './resources/organisation.ts';
import { plan } from './resources/plan.ts';
import { project } from './resources/project.ts';
import { scoreGroup } from './resources/scoreGroup.ts';
import { subscription } from './resources/subscription.ts';
import { tenant } from './resources/tenant.ts';
import { tokenomicsCategory, tokenomicsSchedule } from './resources/tokenomics.ts';
import { trigger } from './resources/trigger.ts';
import { user } from './resources/user.ts';
import { wallet } from './resources/wallet.ts';
import { scoreEndpoints } from './scores.ts';
import { shareEndpoints } from './share.ts';
import { walletEndpoints } from './wallet.ts';

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
