import { Type } from 'typebox';
import { type Chain, type ChainUid, finalitySources, isSeedUid } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { identityOf, networkForms } from '../../chains/networkForms.ts';
import { networkStatuses } from '../../model/enumerations.ts';
import type { Fault } from '../../model/errors.ts';
import { familyNames } from '../../model/family.ts';
import { Count, List, Name, nullable, OneOf, Shape, Text } from '../../model/schema.ts';

const pattern = (what: string, example: string) =>
  nullable(Text(`Link to ${what}; \`{}\` stands for it.`, example, { min: 1, max: 500 }));
const explorer = Shape(
  {
    address: Text('Link to an address; `{}` stands for it.', 'https://scan.example.com/address/{}', {
      min: 1,
      max: 500,
    }),
    transaction: pattern('a transaction', 'https://scan.example.com/tx/{}'),
    block: pattern('a block', 'https://scan.example.com/block/{}'),
  },
  ['address'],
);
const currency = Shape(
  {
    symbol: Text('Short name.', 'ETH', { pattern: '^[A-Za-z0-9$.+-]{1,20}$' }),
    name: Name('Name; the symbol if left out.', 'Ether'),
    decimals: Type.Integer({
      description: 'Digits after the point.',
      minimum: 0,
      maximum: 36,
      examples: [18],
    }),
  },
  ['symbol', 'decimals'],
);
const minute = 60_000;

/** Members that may be changed later. */
export const changeableFacts = {
  name: Name('What people call it.', 'My Chain'),
  network: OneOf(networkStatuses, 'Whether its money is worth something.', 'TESTNET'),
  currency: { ...currency, description: 'Native currency.' },
  explorer: nullable({ ...explorer, description: 'Link patterns of a block explorer.' }),
  blockTimeMs: Type.Integer({
    description: 'Usual time between blocks in milliseconds.',
    minimum: 10,
    maximum: 24 * 60 * minute,
    examples: [2000],
  }),
  confirmations: Count(
    'Blocks that must lie on a block before an action follows from it; if left out 12 on a main network, 6 on a test network, 1 ' +
      'on a development network.',
    12,
    100_000,
  ),
  finality: OneOf(
    finalitySources,
    'Of EVM chains: which block nodes are asked for as the newest final one; `confirmations` where they know none, so that depth ' +
      'alone decides.',
    'finalized',
  ),
};

/** Members that identify its network, and stay. */
export const identityFacts = {
  family: OneOf(familyNames, 'Family of the chain; evm if left out.', 'evm'),
  chainId: nullable(
    Type.Integer({
      description: 'Of EVM chains: the chain id, which transactions are signed for.',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      examples: [424_242],
    }),
  ),
  genesis: nullable(
    Text(
      'Of other families: what nodes name the network by. Bitcoin: test, testnet4, signet or regtest; Solana, Tron, VeChain: the ' +
        'first block; Stellar: the passphrase; Internet Computer: the root key.',
      'Test SDF Network ; September 2015',
      { min: 1, max: 300 },
    ),
  ),
};

const ownChainUid = Text(
  'Its name in every `chainUid`: 2 to 40 lower-case letters, digits and underscores.',
  'my_chain',
  { max: 200 },
);
const endpoints = List(
  Text('Address of a node: http, https, ws or wss.', 'https://rpc.example.com', { min: 1, max: 2000 }),
  'Endpoints; each is asked for its network first.',
  { maxItems: 20 },
);
const required = ['chainUid', 'name', 'network', 'currency', 'blockTimeMs'];
/** Input of an administrator about a chain. */
export const ownChainBody = Type.Unsafe<OwnChainInput>(
  Shape({ chainUid: ownChainUid, ...identityFacts, ...changeableFacts, endpoints }, required),
);

export type ChainChanges = {
  name?: string;
  network?: Chain['network'];
  currency?: { symbol: string; name?: string; decimals: number };
  explorer?: { address: string; transaction?: string | null; block?: string | null } | null;
  blockTimeMs?: number;
  confirmations?: number;
  finality?: NonNullable<Chain['finality']>;
};
export type ChainIdentity = {
  family?: Chain['family'];
  chainId?: number | null;
  genesis?: string | null;
};
export type OwnChainInput = ChainIdentity &
  ChainChanges & { chainUid: string; endpoints?: string[] } & Required<
    Pick<ChainChanges, 'name' | 'network' | 'currency' | 'blockTimeMs'>
  >;

/** Words that mean something else where a chain is named, or that settings end with. */
const reserved = new Set<string>([
  'all',
  'any',
  'none',
  'null',
  'undefined',
  'true',
  'false',
  'native',
  'platform',
  'unknown',
  'constructor',
  ...familyNames,
]);
const confirmationsOf = { MAINNET: 12, TESTNET: 6, DEVNET: 1 };

/** The chain that is meant, or all that is wrong with what was said of it. */
export function toOwnChain(input: OwnChainInput): { chain: Chain; identity: string } | { faults: Fault[] } {
  const { chainUid, family = 'evm', chainId = null, genesis = null } = input;
  const faults = [
    ...nameFaults(chainUid),
    ...identityFaults(family, chainId, genesis),
    ...factFaults(family, input),
  ];
  if (faults.length > 0) return { faults };
  const chain: Chain = {
    uid: chainUid as ChainUid,
    family,
    ...(chainId === null ? {} : { chainId }),
    ...(genesis === null ? {} : { genesis }),
    ...toFacts(input),
  };
  return { chain, identity: identityOf(chain) ?? chainUid };
}

/** The chain with these facts; those that are left out stay. */
export function changeFacts(chain: Chain, changes: ChainChanges): { chain: Chain } | { faults: Fault[] } {
  const faults = factFaults(chain.family, changes);
  if (faults.length > 0) return { faults };
  const { explorer: links, finality, ...rest } = chain;
  const next = {
    ...rest,
    explorer: links ?? null,
    ...(finality === undefined ? {} : { finality }),
    ...changes,
  };
  const { uid, family, chainId, genesis } = chain;
  return {
    chain: {
      uid,
      family,
      ...(chainId === undefined ? {} : { chainId }),
      ...(genesis === undefined ? {} : { genesis }),
      ...toFacts(next),
    },
  };
}

type Facts = ChainChanges & Required<Pick<ChainChanges, 'name' | 'network' | 'currency' | 'blockTimeMs'>>;

function toFacts({
  name,
  network,
  currency: coin,
  explorer: links,
  blockTimeMs,
  confirmations,
  finality,
}: Facts) {
  const { symbol, decimals } = coin;
  return {
    name,
    network,
    currency: { symbol, name: coin.name ?? symbol, decimals },
    blockTimeMs,
    confirmations: confirmations ?? confirmationsOf[network],
    ...(finality === undefined || finality === 'finalized' ? {} : { finality }),
    ...(links
      ? {
          explorer: {
            address: links.address,
            ...(links.transaction ? { transaction: links.transaction } : {}),
            ...(links.block ? { block: links.block } : {}),
          },
        }
      : {}),
  };
}

function nameFaults(uid: string): Fault[] {
  const pointer = '/chainUid';
  if (!/^[a-z][a-z0-9_]{1,39}$/.test(uid))
    return [
      {
        pointer,
        code: 'format',
        message:
          'must have 2 to 40 lower-case letters, digits and underscores and begin with a letter, such as my_chain.',
      },
    ];
  if (isSeedUid(uid))
    return [
      {
        pointer,
        code: 'reserved',
        message: `${uid} is a chain that Vigil knows by itself; choose another name.`,
      },
    ];
  if (reserved.has(uid) || uid.endsWith('_file'))
    return [
      { pointer, code: 'reserved', message: `${uid} means something else already; choose another name.` },
    ];
  return [];
}

function identityFaults(family: Chain['family'], chainId: number | null, genesis: string | null): Fault[] {
  if (family === 'evm')
    return [
      ...(chainId === null
        ? [{ pointer: '/chainId', code: 'required', message: 'is required for an EVM chain: its chain id.' }]
        : []),
      ...(genesis === null
        ? []
        : [
            {
              pointer: '/genesis',
              code: 'not-allowed',
              message: 'means nothing on an EVM chain: give its chainId.',
            },
          ]),
    ];
  const form = networkForms[family];
  return [
    ...(chainId === null
      ? []
      : [{ pointer: '/chainId', code: 'not-allowed', message: 'is for EVM chains; give its `genesis`.' }]),
    ...(genesis === null
      ? [{ pointer: '/genesis', code: 'required', message: `is required: ${form.words}.` }]
      : form.pattern.test(genesis)
        ? []
        : [{ pointer: '/genesis', code: 'format', message: `must be ${form.words}.` }]),
  ];
}

function factFaults(family: Chain['family'], { explorer: links, finality }: ChainChanges): Fault[] {
  const patterns = Object.entries(links ?? {});
  return [
    ...patterns.flatMap(([member, link]): Fault[] =>
      link === null || isPattern(link)
        ? []
        : [
            {
              pointer: `/explorer/${member}`,
              code: 'format',
              message:
                'must be an http or https address with {} once where the value belongs, such as https://scan.example.com/tx/{}.',
            },
          ],
    ),
    ...(family !== 'evm' && finality !== undefined && finality !== 'finalized'
      ? [
          {
            pointer: '/finality',
            code: 'not-allowed',
            message: 'can be chosen on EVM chains only; leave it out.',
          },
        ]
      : []),
    ...(families[family].nodes
      ? []
      : [
          {
            pointer: '/family',
            code: 'not-allowed',
            message: 'Vigil cannot follow chains of this family yet.',
          },
        ]),
  ];
}

function isPattern(link: string): boolean {
  const url = link.replace('{}', '1');
  return link.split('{}').length === 2 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
