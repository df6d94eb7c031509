/** Words of the API that more than one folder needs; those of docs/api-spec.md come first. */
export const statuses = ['ACTIVE', 'DISABLED', 'DELETED'] as const;
export const addressTypes = ['CONTRACT', 'WALLET', 'ENTITY'] as const;
export const walletTypes = ['DEFAULT', 'HSM'] as const;
export const destinationTypes = [
  'EMAIL',
  'MESSENGER_A',
  'HTTP',
  'MESSENGER_B',
  'PAGERDUTY',
  'TEAMS',
  'DISCORD',
  'ALERTMANAGER',
  'SYSLOG',
  'SNS',
  'SQS',
  'KAFKA',
  'WEB_PUSH',
] as const;
export const destinationTags = ['DEFAULT', 'DETECTOR', 'WALLET'] as const;
export const detectorSources = ['ATTACK_DETECTOR', 'PLATFORM', 'CUSTOM', 'EXTERNAL', 'IMPORT'] as const;
export const networkStatuses = ['MAINNET', 'TESTNET', 'DEVNET'] as const;
export const licenseStatuses = ['PENDING', 'LICENCED', 'CANCELED'] as const;
export const severities = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export const interceptorTypes = ['TRANSACTION', 'EVENT', 'BLOCK', 'TRACE', 'STATE', 'SCHEDULE'] as const;

/** The kind of observation of each trigger. */
export const triggerTypes = {
  SUCCESSFUL_TX: 'TRANSACTION',
  FAILED_TX: 'TRANSACTION',
  FUNCTION_CALL: 'TRANSACTION',
  FUNCTION_PARAMETER: 'TRANSACTION',
  EVENT_EMITTED: 'EVENT',
  EVENT_PARAMETER: 'EVENT',
  ERC20_TRANSFER: 'EVENT',
  ERC721_TRANSFER: 'EVENT',
  NATIVE_TRANSFER: 'TRANSACTION',
  BALANCE_CHANGE: 'STATE',
  STATE_CHANGE: 'STATE',
  VIEW_FUNCTION: 'STATE',
  WHITELISTED_CALLERS: 'TRANSACTION',
  BLACKLISTED_CALLERS: 'TRANSACTION',
  CONTRACT_CREATED: 'TRANSACTION',
} as const satisfies Record<string, (typeof interceptorTypes)[number]>;

export type TriggerType = keyof typeof triggerTypes;

/** Detectors that Vigil switches on by itself, one of each for a contract; no plan counts them. */
export const automaticDetectors: readonly string[] = ['attack_detector', 'aml'];
