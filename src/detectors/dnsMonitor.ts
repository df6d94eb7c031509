import { isIP } from 'node:net';
import { type Static, Type } from 'typebox';
import { type RecordType, readExpiry, readRecords, recordTypes } from '../evidence/domainRecords.ts';
import { Configuration, Duration, Schedule, WebTarget } from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { parseDuration } from '../lib/duration.ts';
import { harmless } from '../lib/harmless.ts';
import { parseSchedule } from '../lib/schedule.ts';
import { type Detection, defineDetector, type EvaluationContext } from '../model/detection.ts';
import { familyNames } from '../model/family.ts';

const config = Configuration(
  {
    domain: Type.String({
      format: 'domain',
      description: 'The name that is watched, such as app.example.com.',
    }),
    records: Type.Array(Type.Unsafe<RecordType>({ type: 'string', enum: Object.keys(recordTypes) }), {
      description: 'Kinds of record whose change is reported.',
      default: ['A', 'AAAA', 'NS'],
      maxItems: 8,
      uniqueItems: true,
    }),
    nameservers: Type.Array(Type.String({ format: 'domain' }), {
      description:
        'Name servers that are expected; any other is reported, also when it was there from the beginning.',
      default: [],
      maxItems: 20,
    }),
    resolver: WebTarget('A resolver that answers DNS over HTTPS in JSON.', 500, {
      default: 'https://cloudflare-dns.com/dns-query',
    }),
    rdap: Type.Optional(
      WebTarget(
        'Registration record (RDAP) of the domain, such as https://rdap.verisign.com/com/v1/domain/example.com; with it the expiry is watched, once a day.',
        500,
      ),
    ),
    expiry: Duration('How long before the registration ends to report it.', '30 days'),
    cron: Schedule('How often to look.', '5 min'),
  },
  ['domain'],
);
type Config = Static<typeof config>;

type State = {
  readonly records?: { readonly [type: string]: readonly string[] };
  readonly strangers?: readonly string[];
  /** Time of the last look-up of the registration, its end, and whether that was reported. */
  readonly askedAt?: number;
  readonly expiresAt?: number;
  readonly isTold?: boolean;
};

export const dnsMonitor = defineDetector<Config, State>({
  name: 'dns_monitor',
  title: 'DNS monitor',
  version: '1.0.0',
  category: 'SECURITY',
  families: familyNames,
  severity: 'HIGH',
  description:
    'Records of a domain change, it gets a name server that is not expected, or its registration is about to end.',
  faq: 'Why do I get many alerts for A records? Content networks hand out other addresses all the time: watch NS and CNAME for such names.',
  nextStep:
    'Check the account at the registrar and the DNS provider at once: anyone who controls the records can serve another site. Warn users if you did not make the change.',
  config,
  fields: [
    'domain',
    'reason',
    'nameserver',
    'expected',
    'record',
    'before',
    'after',
    'added',
    'removed',
    'failure',
    'expiresAt',
    'days',
  ],
  interests: ({ cron }) => [{ on: 'clock', schedule: parseSchedule(cron) }],
  evaluate(observation, context) {
    if (observation.type !== 'clock') return {};
    const { config: settings, state, read } = context;
    const { domain, resolver, nameservers } = settings;
    const types = [...new Set([...settings.records, ...(nameservers.length > 0 ? ['NS' as const] : [])])];
    const answers = read.all(types.map((type) => () => readRecords(read, resolver, domain, type)));
    const records = Object.fromEntries(types.map((type, n) => [type, answers[n]!]));
    const expected = new Set(nameservers.map((server) => server.toLowerCase()));
    const strangers = expected.size === 0 ? [] : (records.NS ?? []).filter((server) => !expected.has(server));
    const registration = examineRegistration(context, observation.at);
    const after: State = { records, ...(strangers.length > 0 && { strangers }), ...registration.after };
    const detections = [
      ...settings.records.flatMap((type) => changeOf(settings, type, state?.records?.[type], records[type]!)),
      ...strangers
        .filter((server) => !state?.strangers?.includes(server))
        .map((server) => ({
          part: `nameserver ${server}`,
          message: `${domain} has the name server ${harmless(server, 200)}, which is not expected.`,
          fields: { domain, reason: 'nameserver', nameserver: server, expected: nameservers },
        })),
      ...registration.detections,
    ];
    return { ...keepState(state, after), detections };
  },
});

function changeOf(
  { domain }: Config,
  type: RecordType,
  before: readonly string[] | undefined,
  after: readonly string[],
): Detection[] {
  if (before === undefined) return [];
  const added = after.filter((value) => !before.includes(value));
  const removed = before.filter((value) => !after.includes(value));
  if (added.length + removed.length === 0) return [];
  const shown = (values: readonly string[]) =>
    values.length > 0
      ? values.map((value) => (isIP(value) ? value : harmless(value, 200))).join(', ')
      : 'none';
  return [
    {
      part: type,
      message: `The ${type} records of ${domain} changed from ${shown(before)} to ${shown(after)}.`,
      fields: { domain, reason: 'records', record: type, before, after, added, removed },
    },
  ];
}

const dayMs = 86_400_000;

/** Asks the registry once a day at most; that it does not answer must not stop the rest, and is reported as well. */
function examineRegistration(
  { config: { domain, rdap, expiry }, state, read }: EvaluationContext<Config, State>,
  now: number,
): { after: State; detections: Detection[] } {
  if (rdap === undefined) return { after: {}, detections: [] };
  const isDue = state?.askedAt === undefined || now - state.askedAt >= dayMs;
  const answer = isDue ? readExpiry(read, rdap) : undefined;
  const expiresAt = answer && 'expiresAt' in answer ? answer.expiresAt : state?.expiresAt;
  const isNear = expiresAt !== undefined && expiresAt - now <= parseDuration(expiry);
  const after: State = {
    askedAt: isDue ? now : (state?.askedAt ?? now),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(isNear && { isTold: true }),
  };
  const detections: Detection[] = [];
  if (answer && 'failure' in answer)
    detections.push({
      severity: 'LOW',
      part: 'registration',
      message: `The registration of ${domain} cannot be looked up: ${harmless(answer.failure, 200)}`,
      fields: { domain, reason: 'registration', failure: answer.failure },
    });
  if (isNear && !state?.isTold) {
    const days = Math.floor((expiresAt - now) / dayMs);
    const until = new Date(expiresAt).toISOString();
    detections.push({
      part: 'expiry',
      message: `The registration of ${domain} ${days < 0 ? 'ended' : `ends in ${days} days`} (${until}).`,
      fields: { domain, reason: 'expiry', expiresAt: until, days },
    });
  }
  return { after, detections };
}
