import { type Static, Type } from 'typebox';
import { eventTopic, functionSelector, parseEvent, topicOf } from '../codecs/evm/abi.ts';
import { eventWords } from '../codecs/evm/eventWords.ts';
import { topicAddress } from '../codecs/evm/words.ts';
import { isListed } from '../evidence/addressList.ts';
import { changesOf } from '../evidence/changesOf.ts';
import { Addresses, Configuration } from '../evidence/parameters.ts';
import { showNumber } from '../lib/showNumber.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect, hasEvmDialect } from '../model/family.ts';

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
  /** Account whose rights change. */
  account?: string | undefined;
  role?: string;
  fields: Readonly<Record<string, unknown>>;
  message: string;
};

/** Names of the values: `role`, `account`, `flag` (whether it is given), `threshold`, `admin` and `before`. */
const signatures = [
  // AccessControl and AccessManager of OpenZeppelin
  'RoleGranted(bytes32 indexed role, address indexed account, address indexed by)',
  'RoleRevoked(bytes32 indexed role, address indexed account, address indexed by)',
  'RoleAdminChanged(bytes32 indexed role, bytes32 indexed before, bytes32 indexed admin)',
  'RoleGranted(uint64 indexed role, address indexed account, uint32 delay, uint48 since, bool isNew)',
  'RoleRevoked(uint64 indexed role, address indexed account)',
  // Solady, Solmate, Aragon
  'RolesUpdated(address indexed account, uint256 indexed role)',
  'UserRoleUpdated(address indexed account, uint8 indexed role, bool flag)',
  'SetPermission(address indexed account, address indexed app, bytes32 indexed role, bool flag)',
  // Safes, and the multisig wallets before them
  'AddedOwner(address indexed account)',
  'RemovedOwner(address indexed account)',
  'ChangedThreshold(uint256 threshold)',
  'OwnerAddition(address indexed account)',
  'OwnerRemoval(address indexed account)',
  'RequirementChange(uint256 threshold)',
  // Maker
  'Rely(address indexed account)',
  'Deny(address indexed account)',
  // USDC and others of its kind, older roles of OpenZeppelin
  'MinterConfigured(address indexed account, uint256 allowance)',
  'MinterAdded(address indexed account)',
  'MinterRemoved(address indexed account)',
  'PauserAdded(address indexed account)',
  'PauserRemoved(address indexed account)',
  'MasterMinterChanged(address indexed account)',
  'PauserChanged(address indexed account)',
  'BlacklisterChanged(address indexed account)',
  'RescuerChanged(address indexed account)',
  // Bridges: validators, guardians, peers
  'ValidatorAdded(address indexed account)',
  'ValidatorRemoved(address indexed account)',
  'RequiredSignaturesChanged(uint256 threshold)',
  'PeerSet(uint32 chain, bytes32 peer)',
];
const events = new Map(
  signatures.map((signature) => {
    const event = parseEvent(signature);
    return [topicOf(event), event];
  }),
);

/** Contracts of Maker note the function that was called, with its argument as third value, instead of an event. */
const notes = new Map(
  ['Rely', 'Deny'].map((name) => {
    const selector = functionSelector(`${name.toLowerCase()}(address)`);
    return [selector.padEnd(66, '0'), parseEvent(`${name}(address indexed by, address indexed account)`)];
  }),
);
const topics = [...events.keys(), ...notes.keys()];

export const accessControlChange = defineDetector<Static<typeof config>, never>({
  name: 'access_control_change',
  title: 'Access control change',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'solana', 'stellar'],
  recommendedFor: {
    ACCESS_CONTROL: () => ({ reason: 'Roles decide who may call its functions.' }),
  },
  severity: 'HIGH',
  description:
    'Rights over the contract change: a role is granted, revoked or put under another role, the owners or the threshold of a Safe change, someone may act, mint or pause, or a bridge gets other validators or peers.',
  faq: 'Why is a role shown as a number? Contracts keep only the hash of its name: list the name under roles and it is shown by name.',
  nextStep:
    'Ask the sender’s owner whether the change was meant. If not, revoke the rights at once and look at what the account did with them.',
  config,
  pending: true,
  fields: [
    'event',
    'account',
    'role',
    'roleName',
    'previousAdminRole',
    'newAdminRole',
    'threshold',
    'peer',
    'peerChain',
    'sender',
  ],
  interests: (_config, contract, { family }) =>
    hasEvmDialect(family)
      ? [{ on: 'log', address: contract.address, keys: topics }, ...changesOf(contract, ['permission'])]
      : changesOf(contract, ['permission', 'signers', 'flags']),
  evaluate(observation, { config: { roles, accounts }, contract }) {
    if (observation.type === 'change') {
      const { change, transaction } = observation;
      const { what, part = what, before, after } = change;
      if (after !== null && isListed(accounts, after)) return {};
      const to =
        after === null ? 'was given up' : before ? `changed from ${before} to ${after}` : `is now ${after}`;
      return {
        detections: [
          {
            message: `The ${part} of ${contract.name} ${to}, in a transaction of ${transaction.from}.`,
            fields: { event: what, roleName: part, account: after, sender: transaction.from },
          },
        ],
      };
    }
    if (observation.type !== 'log') return {};
    const { log, transaction } = observation;
    const event = events.get(log.key) ?? notes.get(log.key)!;
    const words = eventWords(event, log);
    if (event.inputs.some(({ name }) => name! !== 'by' && words[name!] === undefined)) return {};
    const change = toChange(event.name, words, namesOf(roles), contract.name);
    const { account, role, fields, message } = change;
    if (account !== undefined && isListed(accounts, account)) return {};
    if (role !== undefined && roles.length > 0 && !roles.map(roleHash).includes(role)) return {};
    return {
      detections: [
        {
          message: `${message.slice(0, -1)}, in a transaction of ${transaction.from}.`,
          fields: { event: event.name, account, ...fields, sender: transaction.from },
        },
      ],
    };
  },
});

type Words = Readonly<Record<string, string | undefined>>;

function toChange(event: string, words: Words, names: ReadonlyMap<string, string>, name: string): Change {
  const nameOf = (role: string) => names.get(role) ?? role;
  const account = words.account && topicAddress(words.account);
  const { role, threshold, admin, before, chain, peer } = words;
  if (threshold !== undefined)
    return {
      fields: { threshold: BigInt(threshold) },
      message: `${name} now needs ${showNumber(BigInt(threshold))} signatures.`,
    };
  if (role !== undefined && admin !== undefined && before !== undefined)
    return {
      role,
      fields: { role, roleName: nameOf(role), previousAdminRole: before, newAdminRole: admin },
      message: `The role ${nameOf(role)} of ${name} is now given out by the role ${nameOf(admin)}, before by ${nameOf(before)}.`,
    };
  if (chain !== undefined && peer !== undefined)
    return {
      fields: { peer, peerChain: BigInt(chain) },
      message: `${name} now trusts messages of ${peer} on the chain ${BigInt(chain)}.`,
    };
  if (role !== undefined)
    return {
      account,
      role,
      fields: { role, roleName: nameOf(role) },
      message: roleSentence(event, account, nameOf(role), words.flag, name),
    };
  return { account, fields: {}, message: `${account} ${deeds[event] ?? 'got other rights over'} ${name}.` };
}

function roleSentence(
  event: string,
  account: string | undefined,
  role: string,
  flag: string | undefined,
  name: string,
): string {
  if (event === 'RolesUpdated') return `${account} now has the roles ${showNumber(BigInt(role))} of ${name}.`;
  const isLost = event === 'RoleRevoked' || (flag !== undefined && BigInt(flag) === 0n);
  return isLost
    ? `${account} lost the role ${role} of ${name}.`
    : `${account} was given the role ${role} of ${name}.`;
}

const deeds: Readonly<Record<string, string>> = {
  AddedOwner: 'became an owner of',
  RemovedOwner: 'is no longer an owner of',
  OwnerAddition: 'became an owner of',
  OwnerRemoval: 'is no longer an owner of',
  Rely: 'may now act for',
  Deny: 'may no longer act for',
  MinterConfigured: 'is now a minter of',
  MinterAdded: 'is now a minter of',
  MinterRemoved: 'is no longer a minter of',
  PauserAdded: 'may now pause',
  PauserRemoved: 'may no longer pause',
  MasterMinterChanged: 'now appoints the minters of',
  PauserChanged: 'may now pause',
  BlacklisterChanged: 'may now block accounts of',
  RescuerChanged: 'may now rescue tokens of',
  ValidatorAdded: 'is now a validator of',
  ValidatorRemoved: 'is no longer a validator of',
};

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
