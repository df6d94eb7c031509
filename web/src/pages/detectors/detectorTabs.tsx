import { Tabs } from '../../parts/Tabs.tsx';

export function DetectorTabs() {
  return (
    <Tabs
      label="Detectors and triggers"
      tabs={[
        { to: '/detectors', title: 'Detectors', needs: 'POST /detector/search' },
        { to: '/triggers', title: 'Triggers', needs: 'POST /trigger/search' },
        { to: '/catalogue', title: 'Catalogue', needs: 'POST /detector/schema/search' },
      ]}
    />
  );
}
