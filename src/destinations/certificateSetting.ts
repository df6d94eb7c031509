import { X509Certificate } from 'node:crypto';
import { Text } from '../model/schema.ts';
import type { KindSettings, Setting } from './destinationKind.ts';

/** The authorities of a server that is reached by TLS. */
export const certificateSetting = {
  certificate: {
    schema: Text(
      'Certificates of the authorities that may sign the server’s, in PEM; the public ones if left out.',
      '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----',
      { max: 20_000 },
    ),
    isPublic: true,
  },
} as const satisfies Record<string, Setting>;

export function certificateFault({ certificate }: KindSettings) {
  return typeof certificate === 'string' && !isPem(certificate)
    ? {
        member: 'certificate',
        message: 'must be one or more certificates in PEM (-----BEGIN CERTIFICATE-----).',
      }
    : undefined;
}

function isPem(text: string): boolean {
  const parts = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const part of parts) new X509Certificate(part);
    return parts.length > 0;
  } catch {
    return false;
  }
}
