import type { FunctionComponent } from 'preact';
import { type RecordKind, RecordList, type RecordRow } from '../../parts/RecordPage.tsx';
import { AuditSection } from './AuditSection.tsx';
import { apiKeys, invites, organisations, schemas, tenants, users } from './accountKinds.tsx';
import { ChainsSection } from './ChainsSection.tsx';
import { LabelsSection } from './LabelsSection.tsx';
import { plans, subscriptions } from './planKinds.tsx';
import { SecuritySection } from './SecuritySection.tsx';
import { TelemetrySection } from './TelemetrySection.tsx';
import { TokenomicsSection } from './TokenomicsSection.tsx';

export type Section = { name: string; title: string; needs: string; Section: FunctionComponent };

export const sections: readonly Section[] = [
  { name: 'chains', title: 'Chains', needs: 'GET /chain', Section: ChainsSection },
  records('users', 'Users', users),
  records('invites', 'Invites', invites),
  records('apikeys', 'API keys', apiKeys),
  { name: 'security', title: 'Your account', needs: 'GET /auth/session', Section: SecuritySection },
  { name: 'labels', title: 'Labels', needs: 'POST /label/search', Section: LabelsSection },
  {
    name: 'tokenomics',
    title: 'Tokenomics',
    needs: 'POST /tokenomics/category/search',
    Section: TokenomicsSection,
  },
  records('tenants', 'Tenants', tenants),
  records('organisations', 'Organisations', organisations),
  records('plans', 'Plans', plans),
  records('subscriptions', 'Subscriptions', subscriptions),
  { ...records('schemas', 'Detector schemas', schemas), needs: 'POST /detector/schema' },
  { name: 'telemetry', title: 'Telemetry', needs: 'POST /tenant/telemetry', Section: TelemetrySection },
  { name: 'audit', title: 'Audit log', needs: 'GET /audit', Section: AuditSection },
];

function records<Row extends RecordRow>(name: string, title: string, kind: RecordKind<Row>): Section {
  return {
    name,
    title,
    needs: `POST ${kind.path}/search`,
    Section: () => <RecordList kind={kind} heading="h1" />,
  };
}
