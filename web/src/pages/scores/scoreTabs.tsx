import { Tabs } from '../../parts/Tabs.tsx';

export function ScoreTabs() {
  return (
    <Tabs
      label="Scores"
      tabs={[
        { to: '/scores', title: 'Scores', needs: 'POST /instance/search' },
        { to: '/licenses', title: 'Licenses', needs: 'POST /license/search' },
      ]}
    />
  );
}
