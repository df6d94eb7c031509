import type { ChainUid } from '../../chains/chains.ts';
import type { Resource } from '../http/defineResource.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { apiKey } from './accounts/apiKey.ts';
import { endUserSessionsEndpoint } from './accounts/endUserSessionsEndpoint.ts';
import { invite } from './accounts/invite.ts';
import { organisation } from './accounts/organisation.ts';
import { ownAccountEndpoints } from './accounts/ownAccountEndpoints.ts';
import { plan } from './accounts/plan.ts';
import { sessionEndpoints } from './accounts/sessionEndpoints.ts';
import { setupEndpoints } from './accounts/setupEndpoints.ts';
import { subscription } from './accounts/subscription.ts';
import { tenant } from './accounts/tenant.ts';
import { user } from './accounts/user.ts';
import { action } from './actions/action.ts';
import { actionEndpoints } from './actions/actionEndpoints.ts';
import { approval } from './actions/approval.ts';
import { approvalEndpoints } from './actions/approvalEndpoints.ts';
import { aggregationEndpoints } from './alerts/aggregationEndpoints.ts';
import { alertEndpoints } from './alerts/alertEndpoints.ts';
import { alertSearchEndpoints } from './alerts/alertSearchEndpoints.ts';
import { alertStreamEndpoint } from './alerts/alertStreamEndpoint.ts';
import { bulkEndpoints } from './alerts/bulkEndpoints.ts';
import { commentEndpoints } from './alerts/commentEndpoints.ts';
import { histogramEndpoint } from './alerts/histogramEndpoint.ts';
import { incidentEndpoints } from './alerts/incidentEndpoints.ts';
import { linkEndpoints } from './alerts/linkEndpoints.ts';
import { outcomeEndpoint } from './alerts/outcomeEndpoint.ts';
import { plannedChange, plannedChangeEndpoints } from './alerts/plannedChange.ts';
import { previewEndpoint } from './alerts/previewEndpoint.ts';
import { pushAlertsEndpoint } from './alerts/pushAlertsEndpoint.ts';
import { storyEndpoints } from './alerts/storyEndpoints.ts';
import { suggestEndpoint } from './alerts/suggestEndpoint.ts';
import { traceEndpoint } from './alerts/traceEndpoint.ts';
import { view } from './alerts/view.ts';
import { chainEndpoint } from './contracts/chainEndpoint.ts';
import { contract } from './contracts/contract.ts';
import { contractViewEndpoints } from './contracts/contractViewEndpoints.ts';
import { inspectEndpoints } from './contracts/inspectEndpoints.ts';
import { ownChainEndpoints } from './contracts/ownChainEndpoints.ts';
import { project } from './contracts/project.ts';
import { rpcEndpoints } from './contracts/rpcEndpoints.ts';
import { shareEndpoints } from './contracts/shareEndpoints.ts';
import { signatureEndpoint } from './contracts/signatureEndpoint.ts';
import { deliveryEndpoints } from './destinations/deliveryEndpoints.ts';
import { destination } from './destinations/destination.ts';
import { destinationEndpoints } from './destinations/destinationEndpoints.ts';
import { inhibition } from './destinations/inhibition.ts';
import { kindEndpoint } from './destinations/kindEndpoint.ts';
import { pagerEndpoint } from './destinations/pagerEndpoint.ts';
import { route } from './destinations/route.ts';
import { routeEndpoints } from './destinations/routeEndpoints.ts';
import { silence } from './destinations/silence.ts';
import { silenceEndpoints } from './destinations/silenceEndpoints.ts';
import { timeSet, timeSetEndpoint } from './destinations/timeSet.ts';
import { backtestEndpoints } from './detectors/backtestEndpoints.ts';
import { detector } from './detectors/detector.ts';
import { detectorEndpoints } from './detectors/detectorEndpoints.ts';
import { detectorSchema } from './detectors/detectorSchema.ts';
import { trigger } from './detectors/trigger.ts';
import { triggerSchema } from './detectors/triggerSchema.ts';
import { label } from './labels/label.ts';
import { labelImportEndpoint } from './labels/labelImportEndpoint.ts';
import { sanctionsImportEndpoint } from './labels/sanctionsImportEndpoint.ts';
import { contactEndpoints } from './onCall/contactEndpoints.ts';
import { escalationChain } from './onCall/escalationChain.ts';
import { escalationEndpoints } from './onCall/escalationEndpoints.ts';
import { schedule, scheduleEndpoints } from './onCall/schedule.ts';
import { auditEndpoints } from './records/auditEndpoints.ts';
import { faultEndpoint } from './records/faultEndpoint.ts';
import { instance } from './scores/instance.ts';
import { instanceMeta } from './scores/instanceMeta.ts';
import { license } from './scores/license.ts';
import { scoreEndpoints } from './scores/scoreEndpoints.ts';
import { scoreGroup } from './scores/scoreGroup.ts';
import { scoreSearchEndpoint } from './scores/scoreSearchEndpoint.ts';
import { heartbeatEndpoint } from './telemetry/heartbeatEndpoint.ts';
import { telemetryEndpoints } from './telemetry/telemetryEndpoints.ts';
import { usageEndpoint } from './telemetry/usageEndpoint.ts';
import { tokenomicsEndpoint } from './tokenomics/tokenomicsEndpoint.ts';
import { tokenomicsCategory, tokenomicsSchedule } from './tokenomics/tokenomicsResources.ts';
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
  timeSet,
  silence,
  schedule,
  escalationChain,
  route,
  inhibition,
  plannedChange,
  detectorSchema,
  detector,
  trigger,
  action,
  label,
  view,
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
    ...sessionEndpoints,
    ...setupEndpoints,
    ...ownAccountEndpoints,
    ...resources.flatMap(({ endpoints }) => endpoints),
    endUserSessionsEndpoint,
    ...triggerSchema.endpoints,
    ...inspectEndpoints,
    ...shareEndpoints,
    chainEndpoint(confirmations),
    ...ownChainEndpoints,
    ...rpcEndpoints,
    ...alertSearchEndpoints,
    ...aggregationEndpoints,
    alertStreamEndpoint(),
    ...alertEndpoints,
    ...linkEndpoints,
    ...bulkEndpoints,
    ...commentEndpoints,
    suggestEndpoint(),
    outcomeEndpoint,
    traceEndpoint,
    previewEndpoint,
    ...incidentEndpoints,
    ...storyEndpoints,
    pushAlertsEndpoint,
    ...backtestEndpoints,
    ...detectorEndpoints,
    signatureEndpoint,
    kindEndpoint,
    pagerEndpoint,
    ...destinationEndpoints,
    ...deliveryEndpoints,
    timeSetEndpoint,
    ...silenceEndpoints,
    ...scheduleEndpoints,
    ...contactEndpoints,
    ...escalationEndpoints,
    ...routeEndpoints,
    ...plannedChangeEndpoints,
    ...walletEndpoints,
    ...actionEndpoints,
    labelImportEndpoint,
    sanctionsImportEndpoint,
    histogramEndpoint,
    tokenomicsEndpoint,
    ...contractViewEndpoints,
    scoreSearchEndpoint,
    ...scoreEndpoints,
    usageEndpoint,
    ...telemetryEndpoints,
    heartbeatEndpoint,
    ...auditEndpoints,
    faultEndpoint,
  ];
  return [...endpoints, ...approval.endpoints, ...approvalEndpoints(endpoints)];
}
