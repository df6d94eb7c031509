import { Text } from '../model/schema.ts';
import type { KindResponse, Setting } from './destinationKind.ts';
import { platformOutcome } from './platformOutcome.ts';

/** The settings by which Vigil signs requests to AWS. */
export const awsKeySettings = {
  accessKeyId: {
    schema: Text('Access key of an identity that may only send here.', 'AKIAIOSFODNN7EXAMPLE', {
      max: 128,
      pattern: '^[0-9A-Za-z_]{16,128}$',
    }),
    isPublic: true,
    isRequired: true,
  },
  secretAccessKey: {
    schema: Text('Its secret.', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', {
      max: 200,
      pattern: '^[\\x21-\\x7e]+$',
    }),
    isRequired: true,
  },
} as const satisfies Record<string, Setting>;

/** AWS answers 400 also for what passes: too many requests, a clock that is off, and a key that is not known yet. */
const passing =
  /Throttl|RequestExpired|SignatureDoesNotMatch|InvalidClientTokenId|UnrecognizedClient|ServiceUnavailable|InternalFailure/i;

export function awsOutcome(service: string) {
  return platformOutcome(service, { isFinal: ({ text }: KindResponse) => !passing.test(text) });
}
