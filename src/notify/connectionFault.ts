const faults: Record<string, string> = {
  ECONNREFUSED: 'The receiver refuses connections.',
  ECONNRESET: 'The receiver closed the connection.',
  EPIPE: 'The receiver closed the connection.',
  UND_ERR_SOCKET: 'The receiver closed the connection.',
  ENOTFOUND: 'The name of the receiver does not resolve.',
  EAI_AGAIN: 'The name of the receiver could not be resolved.',
  EHOSTUNREACH: 'The receiver cannot be reached.',
  ENETUNREACH: 'The receiver cannot be reached.',
  ETIMEDOUT: 'Connection to the receiver timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'Connection to the receiver timed out.',
  UND_ERR_RESPONSE_EXCEEDED: 'The response of the receiver is too large.',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'The response of the receiver is too large.',
};

/** An address that the tenant may not reach, in the words of `webhookFault`. */
export class AddressFault extends Error {
  override readonly name = 'AddressFault';
}

/** Reason of a failed connection, in fixed texts, because the receiver's own could reveal too much. */
export function connectionFault(error: unknown, timeLimitMs: number): string {
  if (error instanceof AddressFault) return `The address ${error.message}.`;
  const { name, code, message } = describe(error);
  if (name === 'TimeoutError' || name === 'AbortError' || code.endsWith('HEADERS_TIMEOUT'))
    return `The receiver did not respond within ${timeLimitMs / 1000} s.`;
  if (message.endsWith('leads to a private or reserved network'))
    return 'The name of the receiver resolves to a private or reserved network.';
  if (message.endsWith('has a port that is not allowed'))
    return 'The port of the receiver is not allowed; an operator can allow it with VIGIL_ALLOW_PORTS.';
  const fault = faults[code];
  if (fault) return fault;
  if (/CERT|SSL|TLS|SELF_SIGNED/.test(code)) return `The TLS connection failed (${code}).`;
  return code ? `The connection failed (${code}).` : 'The connection failed.';
}

function describe(error: unknown): { name: string; code: string; message: string } {
  if (!(error instanceof Error)) return { name: '', code: '', message: '' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code.replace(/[^A-Z0-9_]/g, '') : '';
  return { name: error.name, code, message: error.message };
}
