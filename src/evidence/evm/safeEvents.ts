import { eventTopic } from '../../codecs/evm/abi.ts';
import { safeExecutionEvents } from '../../codecs/evm/eventSignatures.ts';
import { topicAddress, zeroAddress } from '../../codecs/evm/words.ts';
import { showNumber } from '../../lib/showNumber.ts';
import type { Severity } from '../../model/alert.ts';

export type SafeEvent = {
  readonly name: string;
  readonly signature: string;
  readonly severity: Severity;
  /** Name of its first value as evidence. */
  readonly member: 'safeTxHash' | 'account' | 'threshold';
  sentence(safe: string, value: string): string;
};

const put = (what: string) => (name: string, value: string) =>
  value === zeroAddress ? `The ${what} of ${name} was removed.` : `The ${what} of ${name} is now ${value}.`;

/** The events of a Safe, in all its versions. */
export const safeEvents: readonly SafeEvent[] = [
  {
    name: 'ExecutionSuccess',
    signature: safeExecutionEvents.ExecutionSuccess,
    severity: 'INFO',
    member: 'safeTxHash',
    sentence: (name, hash) => `${name} executed the transaction ${hash}.`,
  },
  {
    name: 'ExecutionFailure',
    signature: safeExecutionEvents.ExecutionFailure,
    severity: 'MEDIUM',
    member: 'safeTxHash',
    sentence: (name, hash) => `The transaction ${hash} of ${name} failed.`,
  },
  {
    name: 'ExecutionFromModuleSuccess',
    signature: safeExecutionEvents.ExecutionFromModuleSuccess,
    severity: 'MEDIUM',
    member: 'account',
    sentence: (name, module) => `The module ${module} executed a transaction of ${name} without its owners.`,
  },
  {
    name: 'ExecutionFromModuleFailure',
    signature: safeExecutionEvents.ExecutionFromModuleFailure,
    severity: 'MEDIUM',
    member: 'account',
    sentence: (name, module) => `The module ${module} failed to execute a transaction of ${name}.`,
  },
  {
    name: 'AddedOwner',
    signature: 'AddedOwner(address)',
    severity: 'HIGH',
    member: 'account',
    sentence: (name, owner) => `${owner} became an owner of ${name}.`,
  },
  {
    name: 'RemovedOwner',
    signature: 'RemovedOwner(address)',
    severity: 'HIGH',
    member: 'account',
    sentence: (name, owner) => `${owner} is no longer an owner of ${name}.`,
  },
  {
    name: 'ChangedThreshold',
    signature: 'ChangedThreshold(uint256)',
    severity: 'HIGH',
    member: 'threshold',
    sentence: (name, threshold) => `${name} now needs ${showNumber(BigInt(threshold))} signatures.`,
  },
  {
    name: 'EnabledModule',
    signature: 'EnabledModule(address)',
    severity: 'CRITICAL',
    member: 'account',
    sentence: (name, module) => `The module ${module} may now act for ${name} without its owners.`,
  },
  {
    name: 'DisabledModule',
    signature: 'DisabledModule(address)',
    severity: 'MEDIUM',
    member: 'account',
    sentence: (name, module) => `The module ${module} may no longer act for ${name}.`,
  },
  {
    name: 'ChangedGuard',
    signature: 'ChangedGuard(address)',
    severity: 'HIGH',
    member: 'account',
    sentence: put('guard'),
  },
  {
    name: 'ChangedModuleGuard',
    signature: 'ChangedModuleGuard(address)',
    severity: 'HIGH',
    member: 'account',
    sentence: put('guard of the modules'),
  },
  {
    name: 'ChangedFallbackHandler',
    signature: 'ChangedFallbackHandler(address)',
    severity: 'HIGH',
    member: 'account',
    sentence: put('fallback handler'),
  },
  {
    name: 'ChangedMasterCopy',
    signature: 'ChangedMasterCopy(address)',
    severity: 'CRITICAL',
    member: 'account',
    sentence: put('code'),
  },
];

export const safeEventByTopic: ReadonlyMap<string, SafeEvent> = new Map(
  safeEvents.map((event) => [eventTopic(event.signature), event]),
);

const otherTopics = new Set(
  [
    'SafeSetup(address,address[],uint256,address,address)',
    'SafeReceived(address,uint256)',
    'ApproveHash(bytes32,address)',
    'SignMsg(bytes32)',
    'SafeMultiSigTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes,bytes)',
    'SafeModuleTransaction(address,address,uint256,bytes,uint8)',
  ].map(eventTopic),
);

/** True if a Safe itself writes such logs. */
export function isSafeTopic(topic: string): boolean {
  return safeEventByTopic.has(topic) || otherTopics.has(topic);
}

/** The first value of an event as its member calls for it. */
export function safeEventValue({ member }: SafeEvent, word: string): string {
  if (member === 'account') return topicAddress(word);
  return member === 'threshold' ? String(BigInt(word)) : word;
}
