import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { createCertificate } from './createCertificate.ts';
import type { Json } from './startTestApi.ts';

type SyslogMessage = {
  priority: number;
  time: string;
  host: string;
  app: string;
  id: string;
  body: Json;
};
export type Syslog = {
  port: number;
  /** Pins the server. */
  certificate: string;
  messages: SyslogMessage[];
  /** Connections whose bytes were no syslog. */
  faults: string[];
  connections: () => number;
  stop(): Promise<void>;
};

/** RFC 5424, with the structured data as far as Vigil uses it. */
const header =
  /^<(0|[1-9]\d{0,2})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) ((?:\[[^\]"]+(?: [^=\] "]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*\])+|-) \uFEFF(.*)$/s;

/** A stand-in for a syslog server over TLS: it counts octets (RFC 5425) and takes what RFC 5424 describes, and nothing else. */
export async function startSyslog(): Promise<Syslog> {
  const { key, cert } = createCertificate();
  const messages: SyslogMessage[] = [];
  const faults: string[] = [];
  let connections = 0;
  const server = createServer({ key, cert }, (socket) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('end', () => {
      readFrames(Buffer.concat(chunks), messages, faults);
      socket.end();
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    certificate: cert,
    messages,
    faults,
    connections: () => connections,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function readFrames(bytes: Buffer, messages: SyslogMessage[], faults: string[]): void {
  let rest = bytes;
  while (rest.length > 0) {
    const [digits] = /^[1-9]\d{0,5} /.exec(rest.subarray(0, 8).toString('latin1')) ?? [];
    const length = Number(digits);
    if (!digits || rest.length < digits.length + length) return void faults.push('no frame');
    if (length > 8192) faults.push(`a frame of ${length} octets`);
    const text = rest.subarray(digits.length, digits.length + length).toString('utf8');
    const parts = header.exec(text);
    if (!parts || Number(parts[1]) > 191) faults.push(text.slice(0, 200));
    else
      messages.push({
        priority: Number(parts[1]),
        time: parts[2]!,
        host: parts[3]!,
        app: parts[4]!,
        id: parts[6]!,
        body: JSON.parse(parts[8]!),
      });
    rest = rest.subarray(digits.length + length);
  }
}
