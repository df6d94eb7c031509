import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

export type SunkMail = { from: string; to: string[]; raw: string };

export type SmtpSink = {
  url: string;
  mails: SunkMail[];
  /** Connections so far. */
  connections(): number;
  /** What the next recipients are answered with, in turn; then they are taken. */
  refuse(...answers: string[]): void;
  /** The same for the bodies. */
  refuseBody(...answers: string[]): void;
  /** How long every body is held before it is answered; 0 answers those that are held, too. */
  hold(ms: number): void;
  stop(): Promise<void>;
};

/** A real mail server on loopback that keeps what it gets. An answer is `451 4.7.1 come back later`. */
export async function startSmtpSink(options: { password?: string } = {}): Promise<SmtpSink> {
  const mails: SunkMail[] = [];
  const recipientAnswers: string[] = [];
  const bodyAnswers: string[] = [];
  let connections = 0;
  let holdMs = 0;
  const held: (() => void)[] = [];
  const hold = () =>
    Promise.race([
      sleep(holdMs, undefined, { ref: false }),
      new Promise<void>((resolve) => held.push(resolve)),
    ]);
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', ...(options.password ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    authOptional: !options.password,
    closeTimeout: 100,
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    onAuth(auth, _session, callback) {
      if (auth.password === options.password) callback(null, { user: auth.username ?? '' });
      else callback(failure('535 5.7.8 Authentication failed'));
    },
    onRcptTo(_address, _session, callback) {
      const answer = recipientAnswers.shift();
      callback(answer === undefined ? null : failure(answer));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        void hold().then(() => {
          const answer = bodyAnswers.shift();
          if (answer !== undefined) return callback(failure(answer));
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString(),
          });
          callback(null, 'Taken');
        });
      });
    },
  });
  // A client that gives up in the midst of something is no fault of the sink's.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://${options.password ? 'vigil:wrong@' : ''}127.0.0.1:${port}`,
    mails,
    connections: () => connections,
    refuse: (...answers) => void recipientAnswers.push(...answers),
    refuseBody: (...answers) => void bodyAnswers.push(...answers),
    hold: (ms) => {
      holdMs = ms;
      if (ms === 0) for (const answer of held.splice(0)) answer();
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function failure(answer: string): Error {
  return Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) });
}

/** The headers of a mail by name, unfolded; a name that occurs twice has two values. */
export function headersOf({ raw }: SunkMail): Map<string, string[]> {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const found = new Map<string, string[]>();
  for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    found.set(name.toLowerCase(), [...(found.get(name.toLowerCase()) ?? []), value]);
  }
  return found;
}

/** The body parts, decoded. */
export function bodyOf({ raw }: SunkMail): string {
  return raw
    .replace(/=\r\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
}
