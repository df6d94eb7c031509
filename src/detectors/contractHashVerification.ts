import * as Hash from 'ox/Hash';
import type * as Hex from 'ox/Hex';
import { type Static, Type } from 'typebox';
import { eventTopic } from '../chains/evm/abi/abi.ts';
import { logWords, topicAddress } from '../chains/evm/abi/words.ts';

import { readImplementation } from '../chains/evm/evidence/readImplementation.ts';
import { Choice, Configuration, Flag, Polling, scheduleOf } from '../evidence/parameters.ts';
import { defineDetector, type EvaluationContext, type EvaluationResult } from '../model/detection.ts';

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
/** The code as last seen, and whose it was. */
type State = { hash: string; target: string };

const upgraded = eventTopic('Upgraded(address)');

export const contractHashVerification = defineDetector<Config, State>({
  name: 'contract_hash_verification',
  title: 'Contract hash verification',
  version: '1.0.0',
  category: 'SECURITY',
  severity: 'AUTO',
  description:
    'The code of the contract, or of the implementation behind it, is not the expected one: always CRITICAL. It looks at every upgrade and regularly in between.',
  faq: 'Which code does the checksum belong to? The code on chain (eth_getCode), for a proxy that of its implementation, not the code of the deployment.',
  config,
  fields: ['hashType', 'hash', 'expected', 'previousHash', 'address', 'codeBytes'],
  interests: (options, { address }) => [
    { on: 'log', address, keys: [upgraded] },
    { on: 'block', ...scheduleOf(options) },
  ],
  evaluate(observation, context) {
    const { read, contract, state } = context;
    if (observation.type === 'log') {
      const [target = contract.address] = logWords(observation.log).map(topicAddress);
      return verify(target, context);
    }
    // A proxy of another kind is known by its last upgrade, or by what was found when it was registered.
    const known = state?.target ?? contract.implementation ?? contract.address;
    return verify(readImplementation(read, contract.address)?.address ?? known, context);
  },
});

/** Each code is judged once, when it is first seen. */
function verify(
  target: string,
  { config: options, contract, state, read }: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const code = read.code(target);
  const hash = (options.hashType === 'keccak' ? Hash.keccak256 : Hash.sha256)(code as Hex.Hex);
  if (state?.hash === hash && state.target === target) return {};
  const outcome = { state: { hash, target } };
  if (state?.hash === hash) return outcome;
  const expected = options.checksum === undefined ? state?.hash : toHash(options.checksum);
  const isSkipped = state === undefined && !options.initialCheck;
  if (expected === undefined || expected === hash || isSkipped) return outcome;
  const codeBytes = (code.length - 2) / 2;
  const where =
    target === contract.address ? contract.name : `the implementation ${target} of ${contract.name}`;
  return {
    ...outcome,
    detections: [
      {
        severity: 'CRITICAL',
        message: `The code of ${where} is not the expected one: its ${options.hashType} hash is ${hash} instead of ${expected}${codeBytes === 0 ? '; there is no code at all' : ''}.`,
        fields: {
          hashType: options.hashType,
          hash,
          expected,
          previousHash: state?.hash,
          address: target,
          codeBytes,
        },
      },
    ],
  };
}

function toHash(checksum: string): string {
  return `0x${checksum.replace(/^0x/, '').toLowerCase()}`;
}
