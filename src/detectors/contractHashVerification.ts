import * as Hash from 'ox/Hash';
import * as Hex from 'ox/Hex';
import { type Static, Type } from 'typebox';
import { type CodePointer, isCodeInPlace, locateCode } from '../codecs/evm/locateCode.ts';
import { decodeUpgrade, upgradeTopics } from '../codecs/evm/upgradeEvents.ts';
import { controlLook, readModuleHash } from '../evidence/control.ts';
import { Choice, Configuration, everyLook, Flag, Polling, scheduleOf } from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { isDue, parseSchedule } from '../lib/schedule.ts';
import {
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
  type Observation,
  type Reader,
} from '../model/detection.ts';
import { evmDialect, hashesCode, keepsControl } from '../model/family.ts';

const config = Configuration({
  hashType: Choice('How the checksum is made.', ['keccak', 'sha256'], 'keccak'),
  checksum: Type.Optional(
    Type.String({
      description:
        'Hash of the code that is expected at the contract, or at the implementation behind it; without it, the code as first seen.',
      pattern: '^(0x)?[0-9a-fA-F]{64}$',
      examples: ['0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    }),
  ),
  initialCheck: Flag(
    'Whether the code that is there when the detector starts is held to the checksum already.',
    true,
  ),
  ...Polling('cron', '10 min'),
});

type Config = Static<typeof config>;
/** The code as last seen, whose it was, and what says so. */
type State = { hash: string; target: string; pointers?: readonly CodePointer[]; ahead?: string };

export const contractHashVerification = defineDetector<Config, State>({
  name: 'contract_hash_verification',
  title: 'Contract hash verification',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'stellar', 'icp'],
  recommendedFor: {
    CONTRACT: ({ kinds, proxyKind }) => ({
      reason: kinds.includes('UPGRADABLE')
        ? 'The code that you reviewed is known by its hash.'
        : proxyKind !== null
          ? 'The code behind a proxy can be replaced without an event.'
          : 'Code that was destroyed can be created again with other content.',
    }),
  },
  severity: 'AUTO',
  description:
    'The code of the contract, or of the implementation behind it, is not the expected one: always CRITICAL. It looks at every upgrade and regularly in between.',
  faq: 'Which code does the checksum belong to? The code on chain (eth_getCode), for a proxy that of its implementation, not the code of the deployment. On the Internet Computer and Stellar the SHA-256 of the Wasm module, as the network keeps it.',
  nextStep:
    'Compare the code with the release that you reviewed, and let nothing rely on the contract until it fits. Expected? Save the new hash.',
  config,
  fields: ['hashType', 'hash', 'expected', 'previousHash', 'address', 'codeBytes'],
  takesBaseline: true,
  interests(options, { address }, chain) {
    if (keepsControl(chain.family)) return [controlLook];
    if (hashesCode(chain.family))
      return [
        { on: 'change', address, keys: ['code'] },
        { on: 'block', ...scheduleOf(options) },
      ];
    return [{ on: 'log', address, keys: upgradeTopics }, everyLook(chain)];
  },
  evaluate(observation, context) {
    const { config: options, read, contract, chain, state } = context;
    if (hashesCode(chain.family)) return verifyModule(observation, context);
    const upgrade = observation.type === 'log' ? decodeUpgrade(observation.log) : undefined;
    if (observation.type === 'log' && (!upgrade || upgrade.isPending)) return {};
    // Between two looks only what points to the code is asked for, which costs little.
    const isQuiet = observation.type === 'block' && !isLookDue(observation, options);
    if (isQuiet && state?.pointers && isCodeInPlace(read, state.pointers)) return {};
    const { implementation, pointers } = locateCode(read, contract.address);
    // A proxy of another kind is known by its last upgrade, or by what was found when it was registered.
    const target = state?.target ?? contract.implementation ?? contract.address;
    const named = upgrade?.what === 'implementation' ? upgrade.implementation : undefined;
    return verify(named ?? implementation ?? target, pointers, context);
  },
});

/** A change tells both codes itself; in between the newest one is read. */
function verifyModule(
  observation: Observation,
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { read, contract, chain, state } = context;
  const target = contract.address;
  if (observation.type === 'change') {
    const { before, after } = observation.change;
    return judge(context, { hash: toModuleHash(after), target, formerHash: toModuleHash(before) });
  }
  const hash = readModuleHash(read, target);
  // The read state may be ahead of the blocks, which report the change with its transaction. So it waits for them until
  // the next poll.
  if (!keepsControl(chain.family) && state && hash !== state.hash && hash !== state.ahead)
    return { state: { ...state, ahead: hash } };
  return judge(context, { hash, target });
}

/** As `readModuleHash` gives it. */
function toModuleHash(text: string | null | undefined): string {
  return text && /^[0-9a-f]{64}$/.test(text) ? `0x${text}` : '0x';
}

function isLookDue(
  { block, previous }: Extract<Observation, { type: 'block' }>,
  { when, cron }: Config,
): boolean {
  return when === 'block' || !previous || isDue(parseSchedule(cron), previous.timestamp, block.timestamp);
}

function verify(
  target: string,
  pointers: readonly CodePointer[],
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { config: options, contract, state, read } = context;
  const toHash = (code: string): Hex.Hex => {
    Hex.assert(code);
    return options.hashType === 'keccak' ? Hash.keccak256(code) : Hash.sha256(code);
  };
  const [code, first] = read.all([
    () => read.code(target),
    // The first look compares with the state before it, so that a change in its block is seen.
    () => (state || options.checksum !== undefined ? '0x' : codeBefore(read, contract.address)),
  ]);
  return judge(context, {
    hash: toHash(code),
    target,
    pointers,
    codeBytes: (code.length - 2) / 2,
    first: first === '0x' ? undefined : toHash(first),
  });
}

/** `formerHash`: the code before, where the chain tells the change itself. */
type Seen = State & { codeBytes?: number; first?: string | undefined; formerHash?: string };

/** Each code is judged once, when it is first seen. */
function judge(
  { config: options, contract, chain, state }: EvaluationContext<Config, State>,
  { codeBytes, first, formerHash, ...members }: Seen,
): EvaluationResult<State> {
  const { hash, target } = members;
  const hashType = hashesCode(chain.family) ? 'sha256' : options.hashType;
  const outcome = keepState(state, members);
  const seen = formerHash ?? state?.hash ?? first;
  if ((formerHash ?? state?.hash) === hash) return outcome;
  const expected = options.checksum === undefined ? seen : checksumOf(options.checksum);
  const isSkipped =
    state === undefined &&
    formerHash === undefined &&
    options.checksum !== undefined &&
    !options.initialCheck;
  if (expected === undefined || expected === hash || isSkipped) return outcome;
  const where =
    target === contract.address ? contract.name : `the implementation ${target} of ${contract.name}`;
  return {
    ...outcome,
    detections: [
      {
        severity: 'CRITICAL',
        message: `The code of ${where} is not the expected one: its ${hashType} hash is ${hash} instead of ${expected}${codeBytes === 0 || hash === '0x' ? '; there is no code at all' : ''}.`,
        fields: {
          hashType,
          hash,
          expected,
          previousHash: seen,
          address: target,
          codeBytes,
        },
      },
    ],
  };
}

function codeBefore(read: Reader, address: string): string {
  return read.code(locateCode(read, address, 'parent').implementation ?? address, 'parent');
}

function checksumOf(checksum: string): string {
  return `0x${checksum.replace(/^0x/, '').toLowerCase()}`;
}
