import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { Problem } from '../../model/errors.ts';
import { securityHeaders } from './headers.ts';
import { toProblemReply } from './toProblemReply.ts';

type ClientError = Error & { code?: string };

/** Answers what the HTTP parser refuses: there is neither a request nor a reply, only bytes and a socket. */
export function createClientErrorHandler(log: FastifyBaseLogger, publicUrl: () => string) {
  return (error: ClientError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const requestId = randomUUID();
    const { status, headers, body } = toProblemReply(toProblem(error), requestId);
    log.info({ requestId, status, reason: error.code }, 'Malformed request refused');
    // Bytes in the middle of a response would be read as part of it.
    if (socket.writable && !hasStarted(socket)) {
      const all = { ...securityHeaders(requestId, publicUrl()), ...headers, connection: 'close' };
      const lines = Object.entries({ ...all, 'content-length': Buffer.byteLength(body) }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
      // Whatever else the client sends is read and dropped for a moment, since a reset would take the answer along.
      socket.setTimeout(1000, () => socket.destroy());
      socket.on('error', () => socket.destroy());
      return;
    }
    socket.destroy();
  };
}

function toProblem({ code = '' }: ClientError): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers-too-large', 'The headers of the request have more than 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request did not arrive in time; send it without pauses.');
    case 'HPE_INVALID_METHOD':
      return new Problem('malformed-request', 'The request does not begin with a method of HTTP.');
    case 'HPE_INVALID_CONTENT_LENGTH':
    case 'HPE_UNEXPECTED_CONTENT_LENGTH':
      return new Problem(
        'malformed-request',
        'Content-Length must be one number, and the only length given.',
      );
    case 'HPE_INVALID_CHUNK_SIZE':
      return new Problem('malformed-request', 'The chunks of the body are malformed.');
    default:
      return new Problem(
        'malformed-request',
        'The request is not HTTP/1.1: its first line or a header is malformed.',
      );
  }
}

function hasStarted(socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}
