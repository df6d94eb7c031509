import type { Static } from 'typebox';
import { functionSelector } from '../codecs/evm/abi.ts';
import { functionBySelector } from '../codecs/evm/abiItems.ts';
import { codeConstants } from '../codecs/evm/codeConstants.ts';
import { functionName } from '../evidence/evm/describeCall.ts';
import { badTags, findLabelHits, showLabel } from '../evidence/labels.ts';
import { Addresses, Configuration, Flag, LabelTags, Whole } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  maxNonce: Whole(
    'An account that has sent at most this many transactions before is fresh.',
    20,
    0,
    1_000_000,
  ),
  labelTags: LabelTags('Tags of labels and of sources of money that make an account suspicious.', badTags),
  anyAccount: Flag('Report every contract that names the watched one, by any creator.', false),
  allowed: Addresses('Accounts and factories that may create such contracts.'),
});

const contractOfAttacker =
  'The contract of an attacker names its target in its code, and is seen before it is used.';

export const suspiciousDeployment = defineDetector<Static<typeof config>, never>({
  name: 'suspicious_deployment',
  title: 'Suspicious deployment',
  version: '1.0.0',
  category: 'SECURITY',
  families: ['evm'],
  recommendedFor: {
    ERC4626: () => ({ reason: contractOfAttacker }),
    POOL: () => ({ reason: contractOfAttacker }),
  },
  severity: 'AUTO',
  description:
    'A new contract names the watched one in its code or arguments, and its creator is a fresh account, or its label or the source of its money is bad: the last step before an attack. HIGH when the money or the label is bad or the code takes flash loans, MEDIUM otherwise.',
  faq: 'Which contracts does it see? Those that a transaction creates itself, and with nodes that trace also those that contracts create. A contract that gets the address only when it is called is not seen.',
  nextStep:
    'Look at the code of the new contract and at its creator, and be ready to pause before it is used.',
  config,
  pending: true,
  fields: [
    'sender',
    'creator',
    'contractAddress',
    'nonce',
    'label',
    'tags',
    'fundedBy',
    'functions',
    'flashLoan',
    'reasons',
  ],
  interests: (_config, { address }) => [{ on: 'deployment', address }],
  evaluate(observation, { config: settings, contract, read }) {
    if (observation.type !== 'deployment') return {};
    const { transaction, creation } = observation;
    const { from: sender, nonce } = transaction;
    const allowed = new Set(settings.allowed.map((address) => address.toLowerCase()));
    if (
      [sender, creation.creator, contract.address].some((address) => allowed.has(address)) ||
      sender === contract.address
    )
      return {};
    const [hits, funding] = read.all([
      () => findLabelHits(read, [{ address: sender }], ({ tags }) => isBad(tags)),
      () => read.funding(sender),
    ]);
    const label = hits[0]?.label;
    const isBadlyFunded = funding !== null && isBad(funding.tags);
    const isFresh = nonce <= settings.maxNonce;
    if (!settings.anyAccount && !isFresh && !label && !isBadlyFunded) return {};
    const receipt = creation.contract === null ? read.receipt(transaction.hash) : undefined;
    if (receipt && !receipt.isSuccess) return {};
    const { selectors } = codeConstants(creation.code);
    const flashLoan = [...flashLoans].find(([selector]) => selectors.has(selector))?.[1];
    const functions = [...selectors]
      .filter((selector) => functionBySelector(selector, contract.abi))
      .map((selector) => functionName(selector, contract.abi));
    const reasons = [
      ...(isFresh ? [`the account had sent ${nonce} transactions before`] : []),
      ...(label ? [`the account is ${showLabel(label)}`] : []),
      ...(isBadlyFunded ? [`its first money came from ${funding.source} (${funding.tags.join(', ')})`] : []),
      ...(flashLoan ? [`the code takes flash loans (${flashLoan})`] : []),
      ...(functions.length > 0 ? [`the code calls ${functions.slice(0, 3).join(', ')}`] : []),
    ];
    const contractAddress = creation.contract ?? receipt?.contractAddress ?? null;
    const why = reasons.length > 0 ? `: ${reasons.join('; ')}` : '';
    return {
      detections: [
        {
          severity: label || isBadlyFunded || flashLoan ? 'HIGH' : 'MEDIUM',
          message: `${sender} created the contract ${contractAddress ?? 'of an unknown address'}, whose code names ${contract.name}${why}.`,
          fields: {
            sender,
            creator: creation.creator,
            contractAddress,
            nonce,
            label: label?.name,
            tags: label?.tags,
            fundedBy: isBadlyFunded ? funding.source : undefined,
            functions: functions.slice(0, 20),
            flashLoan,
            reasons,
          },
        },
      ],
    };

    function isBad(tags: readonly string[]): boolean {
      return tags.some((tag) => settings.labelTags.includes(tag));
    }
  },
});

/** Functions by which lenders lend for the time of a transaction. */
const flashLoans = new Map(
  [
    'flashLoan(address,address,uint256,bytes)',
    'flashLoan(address,address[],uint256[],bytes)',
    'flashLoan(address,address[],uint256[],uint256[],address,bytes,uint16)',
    'flashLoanSimple(address,address,uint256,bytes,uint16)',
    'flashLoan(address,uint256,bytes)',
    'flash(address,uint256,uint256,bytes)',
    'swap(uint256,uint256,address,bytes)',
  ].map((signature) => [functionSelector(signature), signature]),
);
