import { Tabs } from '../../parts/Tabs.tsx';

export function ActionTabs() {
  return (
    <Tabs
      label="Actions and wallets"
      tabs={[
        { to: '/actions', title: 'Actions', needs: 'POST /action/search' },
        { to: '/wallets', title: 'Wallets', needs: 'POST /wallet/search' },
        { to: '/approvals', title: 'Approvals', needs: 'POST /approval/search' },
      ]}
    />
  );
}
