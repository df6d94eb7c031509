import { type Static, Type } from 'typebox';
import { eventTopic } from '../chains/evm/abi/abi.ts';
import { logWords, topicAddress } from '../chains/evm/abi/words.ts';
import { isListed } from '../evidence/addressList.ts';

import { Addresses, Configuration } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  roles: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    description:
      'Roles to watch, by name such as MINTER_ROLE or by their hash; all when there are none. Owners of a Safe are always watched.',
    default: [],
    maxItems: 1_000,
    uniqueItems: true,
    examples: [['MINTER_ROLE']],
  }),
  accounts: Addresses('Accounts that are expected; a change of their rights raises nothing.'),
});

type Change = {
  event: string;
  /** Whose rights change. */
  account?: string;
  role?: string;
  fields: Readonly<Record<string, unknown>>;
  message: string;
};

const topics = new Map(
  [
    'RoleGranted(bytes32,address,address)',
    'RoleRevoked(bytes32,address,address)',
    'RoleAdminChanged(bytes32,bytes32,bytes32)',
    'AddedOwner(address)',
    'RemovedOwner(address)',
    'ChangedThreshold(uint256)',
  ].map((signature) => [eventTopic(signature), signature.slice(0, signature.indexOf('('))]),
);

export const accessControlChange = defineDetector<Static<typeof config>, never>({
  name: 'access_control_change',
  title: 'Access control change',
  version: '1.0.0',
  category: 'SECURITY',
  severity: 'HIGH',
  description:
    'Rights over the contract change: a role is granted, revoked or put under another role, or the owners or the threshold of a Safe change.',
  faq: 'Why is a role shown as a number? Contracts keep only the hash of its name: list the name under roles and it is shown by name.',
  config,
  fields: [
    'event',
    'account',
    'role',
    'roleName',
    'previousAdminRole',
    'newAdminRole',
    'threshold',
    'sender',
  ],
  interests: (_config, { address }) => [{ on: 'log', address, keys: [...topics.keys()] }],
  evaluate(observation, { config: { roles, accounts }, contract }) {
    if (observation.type !== 'log') return {};
    const { log, transaction } = observation;
    const change = toChange(topics.get(log.key)!, logWords(log), namesOf(roles), contract.name);
    if (!change) return {};
    const { event, account, role, fields, message } = change;
    if (account !== undefined && isListed(accounts, account)) return {};
    if (role !== undefined && roles.length > 0 && !roles.map(roleHash).includes(role)) return {};
    return { detections: [{ message, fields: { event, account, ...fields, sender: transaction.from } }] };
  },
});

/** Undefined when the log has fewer values than the event. */
function toChange(
  event: string,
  [first, second, third]: readonly string[],
  names: ReadonlyMap<string, string>,
  name: string,
): Change | undefined {
  if (first === undefined) return undefined;
  const nameOf = (role: string) => names.get(role) ?? role;
  switch (event) {
    case 'RoleGranted':
    case 'RoleRevoked': {
      if (second === undefined) return undefined;
      const account = topicAddress(second);
      const roleName = nameOf(first);
      const fields = { role: first, roleName };
      const message =
        event === 'RoleGranted'
          ? `${account} was given the role ${roleName} of ${name}.`
          : `${account} lost the role ${roleName} of ${name}.`;
      return { event, account, role: first, fields, message };
    }
    case 'RoleAdminChanged': {
      if (second === undefined || third === undefined) return undefined;
      const roleName = nameOf(first);
      return {
        event,
        role: first,
        fields: { role: first, roleName, previousAdminRole: second, newAdminRole: third },
        message: `The role ${roleName} of ${name} is now given out by the role ${nameOf(third)}, before by ${nameOf(second)}.`,
      };
    }
    case 'ChangedThreshold': {
      const threshold = BigInt(first);
      return {
        event,
        fields: { threshold },
        message: `${name} now needs ${threshold} signatures.`,
      };
    }
    default: {
      const account = topicAddress(first);
      const verb = event === 'AddedOwner' ? 'became' : 'is no longer';
      return { event, account, fields: {}, message: `${account} ${verb} an owner of ${name}.` };
    }
  }
}

const adminRole = 'DEFAULT_ADMIN_ROLE';
const commonRoles = [
  adminRole,
  'ADMIN_ROLE',
  'MINTER_ROLE',
  'BURNER_ROLE',
  'PAUSER_ROLE',
  'UPGRADER_ROLE',
  'OPERATOR_ROLE',
  'MANAGER_ROLE',
  'GUARDIAN_ROLE',
  'KEEPER_ROLE',
  'SNAPSHOT_ROLE',
  'TIMELOCK_ADMIN_ROLE',
  'PROPOSER_ROLE',
  'EXECUTOR_ROLE',
  'CANCELLER_ROLE',
];

function namesOf(roles: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    [...commonRoles, ...roles.filter((role) => !isHash(role))].map((name) => [roleHash(name), name]),
  );
}

function isHash(role: string): boolean {
  return /^0x[0-9a-fA-F]{64}$/.test(role);
}

/** The administrator's role is the one that is not a hash of its name. */
function roleHash(role: string): string {
  if (isHash(role)) return role.toLowerCase();
  return role === adminRole ? `0x${'0'.repeat(64)}` : eventTopic(role);
}
