import type { FunctionComponent } from 'preact';
import { type RecordKind, RecordList, type RecordRow } from '../../parts/RecordPage.tsx';
import { AuditSection } from './AuditSection.tsx';
import { apiKeys, invites, organisations, schemas, tenants, users } from './accountKinds.tsx';
import { ChainsSection } from './ChainsSection.tsx';
import { HeartbeatSection } from './HeartbeatSection.tsx';
import { LabelsSection } from './LabelsSection.tsx';
import { plans, subscriptions } from './planKinds.tsx';
import { SecuritySection } from './SecuritySection.tsx';
import { TelemetrySection } from './TelemetrySection.tsx';
import { TokenomicsSection } from './TokenomicsSection.tsx';

export const groups = ['Access', 'Watching', 'Customers', 'Records'] as const;

export type Section = {
  name: string;
  title: string;
  group: (typeof groups)[number];
  needs: string;
  Section: FunctionComponent;
};

export const sections: readonly Section[] = [
  { name: 'chains', title: 'Chains', group: 'Watching', needs: 'GET /chain', Section: ChainsSection },
  {
    name: 'heartbeat',
    title: 'Heartbeat',
    group: 'Watching',
    needs: 'GET /heartbeat',
    Section: HeartbeatSection,
  },
  records('users', 'Users', 'Access', users),
  records('invites', 'Invites', 'Access', invites),
  records('apikeys', 'API keys', 'Access', apiKeys),
  {
    name: 'security',
    title: 'Your account',
    group: 'Access',
    needs: 'GET /auth/session',
    Section: SecuritySection,
  },
  { name: 'labels', title: 'Labels', group: 'Watching', needs: 'POST /label/search', Section: LabelsSection },
  {
    name: 'tokenomics',
    title: 'Tokenomics',
    group: 'Watching',
    needs: 'POST /tokenomics/category/search',
    Section: TokenomicsSection,
  },
  records('tenants', 'Tenants', 'Customers', tenants),
  records('organisations', 'Organisations', 'Customers', organisations),
  records('plans', 'Plans', 'Customers', plans),
  records('subscriptions', 'Subscriptions', 'Customers', subscriptions),
  { ...records('schemas', 'Detector schemas', 'Watching', schemas), needs: 'POST /detector/schema' },
  {
    name: 'telemetry',
    title: 'Telemetry',
    group: 'Records',
    needs: 'POST /tenant/telemetry',
    Section: TelemetrySection,
  },
  { name: 'audit', title: 'Audit log', group: 'Records', needs: 'GET /audit', Section: AuditSection },
];

function records<Row extends RecordRow>(
  name: string,
  title: string,
  group: Section['group'],
  kind: RecordKind<Row>,
): Section {
  return {
    name,
    title,
    group,
    needs: `POST ${kind.path}/search`,
    Section: () => <RecordList kind={kind} heading="h1" />,
  };
}
