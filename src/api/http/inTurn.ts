import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Hands on the requests of a connection one by one, each in a new turn of the event loop, since a client may send
 * thousands at once. Reading stops while any waits.
 */
export function inTurn(handle: Handle): Handle {
  /** Connections of which a request is being answered, with those that wait. */
  const lines = new Map<Socket, Parameters<Handle>[]>();

  function start(socket: Socket, request: IncomingMessage, response: ServerResponse): void {
    response.on('close', () => {
      if (!lines.get(socket)?.length) lines.delete(socket);
      else setImmediate(startNext, socket);
    });
    handle(request, response);
  }

  function startNext(socket: Socket): void {
    const line = lines.get(socket) ?? [];
    const next = line.shift();
    if (!next || socket.destroyed) {
      lines.delete(socket);
      return;
    }
    if (line.length === 0) {
      socket.off('resume', hold);
      socket.resume();
    }
    start(socket, ...next);
  }

  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (!line) {
      lines.set(socket, []);
      start(socket, request, response);
    } else if (line.push([request, response]) === 1) {
      // The connection resumes by itself after an answer, so `hold` pauses it again.
      socket.on('resume', hold);
      socket.pause();
    }
  };
}

function hold(this: Socket): void {
  this.pause();
}
