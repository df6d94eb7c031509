import {
  flag,
  integer,
  isoTime,
  jsonText,
  list,
  type Members,
  millis,
  object,
  oneOf,
  orNull,
  record,
  text,
  textMap,
  without,
} from './memberRules.ts';

/**
 * The records of docs/api-spec.md, written by hand so that a slip in our own schemas cannot hide here.
 * A member is `orNull` where a request may leave it out and docs/api-spec.md names no default for it.
 */
export const chainUids =
  'arbitrum bsc bsc_testnet ethereum linea optimism base base_sepolia gnosis fantom polygon polygon_amoy blast zksync scroll avalanche avalanche_fuji telos sepolia holesky ethereum_sepolia ethereum_holesky tron zeta somnia adi anvil icp vechain stellar bitcoin solana'.split(
    ' ',
  );

const chainUid = oneOf(...chainUids);
const status = oneOf('ACTIVE', 'DISABLED', 'DELETED');
const common = { id: integer, createdAt: millis, updatedAt: millis };

/** 2.2 */
export const contractMembers: Members = {
  ...common,
  projectId: integer,
  chainUid,
  address: text,
  implementation: orNull(text),
  name: text,
  category: orNull(text),
  tags: list(text),
  addressType: oneOf('CONTRACT', 'WALLET', 'ENTITY'),
  amlRequired: flag,
  icon: orNull(text),
};

/** 2.3 */
export const walletMembers: Members = {
  ...common,
  status,
  tenantId: integer,
  chainUid,
  address: text,
  name: text,
  type: oneOf('DEFAULT', 'HSM'),
  tags: list(text),
};

/** 2.4 */
export const destinationMembers: Members = {
  ...common,
  tenantId: integer,
  type: oneOf(
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
  ),
  name: orNull(text),
  uid: text,
  tags: list(oneOf('DEFAULT', 'DETECTOR', 'WALLET')),
  value: orNull(text),
  messengerABotUsername: orNull(text),
  messengerAUserId: orNull(text),
  messengerAUsername: orNull(text),
  messengerAChatId: orNull(text),
  messengerAChatTitle: orNull(text),
  messengerAChatType: orNull(text),
  messengerBUri: orNull(text),
  messengerBChannelId: orNull(text),
  messengerBChannelName: orNull(text),
  uri: orNull(text),
  method: orNull(text),
  headers: orNull(textMap),
};
export const destinationWithoutType = record(without(destinationMembers, 'type'));

/** 2.5 */
const script = { scriptFilter: orNull(text), scriptParams: textMap };
export const actionMembers: Members = {
  ...common,
  walletId: integer,
  contractId: integer,
  name: text,
  funcSignature: text,
  params: list(record({ name: text, value: text })),
  funcAbi: object,
  gasPrice: text,
  gasLimit: orNull(integer),
  gasTip: orNull(text),
  description: orNull(text),
  destinations: list(record({ ...common, tenantDestination: destinationWithoutType })),
  detectors: list(record({ ...common, ...script, detectorId: integer })),
  triggerAlerts: list(record({ ...common, ...script, triggerAlertId: integer })),
};

/** 2.6 */
export const detectorMembers: Members = {
  ...common,
  status,
  schema: record({
    ...common,
    status,
    title: text,
    name: text,
    version: text,
    description: orNull(text),
    author: orNull(text),
    icon: orNull(text),
    tags: list(text),
    networkTags: list(text),
  }),
  contractId: integer,
  name: text,
  source: oneOf('ATTACK_DETECTOR', 'PLATFORM', 'CUSTOM', 'EXTERNAL', 'IMPORT'),
  tags: list(text),
  config: object,
  destinations: list(record({ ...common, status, tenantDestination: record(destinationMembers) })),
  actions: list(record({ ...common, status, ...script, actionId: integer })),
};

/** 2.8 */
export const scoreGroupMembers: Members = {
  ...common,
  status,
  name: text,
  title: orNull(text),
  description: orNull(text),
};
export const licenseMembers: Members = {
  name: text,
  version: text,
  ...common,
  status,
  icon: orNull(text),
  scoreGroups: list(record(scoreGroupMembers)),
  params: orNull(jsonText),
  groupScript: orNull(text),
  scoreScript: orNull(text),
};

/** 2.9 */
export const instanceMetaMembers: Members = {
  ...common,
  licenseInstanceId: integer,
  startedAt: isoTime,
  expiredAt: orNull(isoTime),
};
export const instanceMembers: Members = {
  license: record(licenseMembers),
  organisationId: integer,
  projectId: integer,
  licenseStatus: oneOf('PENDING', 'LICENCED', 'CANCELED'),
  ...common,
  status,
  licenseInstanceMeta: list(record({ ...instanceMetaMembers, status })),
};

/** 2.7 */
export const projectMembers: Members = {
  ...common,
  tenantId: integer,
  name: text,
  legalName: orNull(text),
  description: orNull(text),
  icon: orNull(text),
  website: orNull(text),
  networkStatus: orNull(oneOf('MAINNET', 'TESTNET', 'DEVNET')),
  marketDataId: orNull(text),
  params: orNull(object),
  tags: list(text),
  viewTenantIds: list(integer),
  licenses: list(record(instanceMembers)),
  type: orNull(text),
  meta: orNull(object),
};

/** 2.10 */
export const subscriptionMembers: Members = {
  ...common,
  status,
  tenantId: integer,
  startDate: millis,
  expirationDate: millis,
  plan: record({
    ...common,
    name: text,
    maxUsers: integer,
    maxContracts: integer,
    maxProjects: integer,
    maxTriggers: integer,
    maxDetectors: integer,
    maxWallets: integer,
    maxActions: integer,
    maxApiKeys: integer,
    detectorRateLimit: integer,
    detectorRateLimitDuration: integer,
  }),
  notifyBeforeExpireDays: list(integer),
};

/** 2.11 */
export const inviteMembers: Members = {
  email: text,
  roles: list(text),
  ...common,
  tenantId: orNull(integer),
  organisationId: orNull(integer),
  expiredAt: millis,
};
