const words: Record<string, string> = {
  ECONNREFUSED: 'The receiver refuses connections.',
  ECONNRESET: 'The receiver broke the connection off.',
  EPIPE: 'The receiver broke the connection off.',
  UND_ERR_SOCKET: 'The receiver broke the connection off.',
  ENOTFOUND: 'The name of the receiver does not resolve.',
  EAI_AGAIN: 'The name of the receiver could not be resolved.',
  EHOSTUNREACH: 'The receiver cannot be reached.',
  ENETUNREACH: 'The receiver cannot be reached.',
  ETIMEDOUT: 'No connection to the receiver came about in time.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection to the receiver came about in time.',
  UND_ERR_RESPONSE_EXCEEDED: 'The answer of the receiver is too large.',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'The answer of the receiver is too large.',
};

/** A sentence about a connection that failed: in our own words, because those of the other side may say too much. */
export function connectionFault(error: unknown, timeLimitMs: number): string {
  const { name, code, message } = describe(error);
  if (name === 'TimeoutError' || name === 'AbortError' || code.endsWith('HEADERS_TIMEOUT'))
    return `The receiver did not answer within ${timeLimitMs / 1000} s.`;
  if (message.endsWith('leads to a private or reserved network'))
    return 'The name of the receiver leads to a private or reserved network.';
  if (message.endsWith('has a port that is not allowed'))
    return 'The port of the receiver is not allowed; an operator can allow it with VIGIL_ALLOW_PORTS.';
  if (words[code]) return words[code];
  if (/CERT|SSL|TLS|SELF_SIGNED/.test(code)) return `No secure connection came about (${code}).`;
  return code ? `The connection failed (${code}).` : 'The connection failed.';
}

function describe(error: unknown): { name: string; code: string; message: string } {
  if (!(error instanceof Error)) return { name: '', code: '', message: '' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code.replace(/[^A-Z0-9_]/g, '') : '';
  return { name: error.name, code, message: error.message };
}
