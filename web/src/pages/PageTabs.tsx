import { Tabs } from '../parts/Tabs.tsx';

const groups = {
  'Detectors and triggers': [
    { to: '/detectors', title: 'Detectors', needs: 'POST /detector/search' },
    { to: '/triggers', title: 'Triggers', needs: 'POST /trigger/search' },
    { to: '/catalogue', title: 'Catalogue', needs: 'POST /detector/schema/search' },
  ],
  'Actions and wallets': [
    { to: '/actions', title: 'Actions', needs: 'POST /action/search' },
    { to: '/wallets', title: 'Wallets', needs: 'POST /wallet/search' },
    { to: '/approvals', title: 'Approvals', needs: 'POST /approval/search' },
  ],
  'Destinations and silences': [
    { to: '/destinations', title: 'Destinations', needs: 'POST /destination/search' },
    { to: '/oncall', title: 'On call', needs: 'POST /schedule/search' },
    { to: '/chains', title: 'Escalation', needs: 'POST /escalationchain/search' },
    { to: '/routes', title: 'Routes', needs: 'POST /route/search' },
    { to: '/silences', title: 'Silences', needs: 'POST /silence/search' },
    { to: '/planned', title: 'Planned changes', needs: 'POST /plannedchange/search' },
    { to: '/timesets', title: 'Time sets', needs: 'POST /timeset/search' },
  ],
  Scores: [
    { to: '/scores', title: 'Scores', needs: 'POST /instance/search' },
    { to: '/licenses', title: 'Licenses', needs: 'POST /license/search' },
  ],
} as const;

/** The pages that share one entry of the navigation. */
export function PageTabs({ of }: { of: keyof typeof groups }) {
  return <Tabs label={of} tabs={groups[of]} />;
}
