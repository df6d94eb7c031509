import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Resolve } from '../lib/createResolve.ts';
import { type Egress, isUsualPort, portOf, webhookFault } from '../lib/egress.ts';
import { guardedLookup } from '../lib/guardedLookup.ts';
import { AddressFault } from './connectionFault.ts';

type Options = {
  /** The scheme is not looked at. */
  uri: string;
  tenantId: number;
  egress: Egress;
  resolve: Resolve;
  /** Absent for a connection without TLS. `trusted`: the authorities in PEM, in place of the public ones. */
  tls?: { trusted: string | undefined };
  signal: AbortSignal;
};

/** Opens a connection to an address that a stranger chose, unless the tenant may not reach where it leads. */
export async function connectGuarded(options: Options): Promise<Socket> {
  const { uri, tenantId, egress, resolve, tls, signal } = options;
  const fault = webhookFault(uri, tenantId, egress);
  if (fault) throw new AddressFault(fault);
  signal.throwIfAborted();
  const url = new URL(uri);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = portOf(url);
  const lookup = guardedLookup({ tenantId, egress, resolve, isUsualPort: isUsualPort(port, egress) });
  const socket = tls
    ? connectTls({
        host,
        port,
        lookup,
        ...(isIP(host) ? {} : { servername: host }),
        ...(tls.trusted === undefined ? {} : { ca: tls.trusted }),
      })
    : connectPlain({ host, port, lookup });
  // A reader that comes later gets the error; without any listener it would end the process.
  socket.on('error', () => {});
  const abort = () => socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('Aborted.'));
  signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', abort));
  await once(socket, tls ? 'secureConnect' : 'connect');
  return socket;
}
