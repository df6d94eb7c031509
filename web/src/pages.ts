import type { FunctionComponent } from 'preact';
import type { PageProps } from './pageProps.ts';
import type { IconName } from './parts/Icon.tsx';
import { matchPath } from './state/route.ts';

export type PageRow = {
  path: string;
  title: string;
  /** Pages with an icon are in the navigation, in this order. */
  icon?: IconName;
  /** The navigation and the palette leave out what the role may not call. */
  needs?: string;
  load(): Promise<{ default: FunctionComponent<PageProps> }>;
};

/** Every page of the console; each is a chunk of its own, read when it is opened. */
export const pages: readonly PageRow[] = [
  { path: '/', title: 'Overview', icon: 'overview', load: () => import('./pages/overview/OverviewPage.tsx') },
  {
    path: '/alerts',
    title: 'Alerts',
    icon: 'alerts',
    needs: 'POST /alert/search',
    load: () => import('./pages/alerts/AlertsPage.tsx'),
  },
  { path: '/alert/:uid', title: 'Alert', load: () => import('./pages/alert/AlertPage.tsx') },
  { path: '/alert/:uid/trace', title: 'Call tree', load: () => import('./pages/trace/TracePage.tsx') },
  {
    path: '/incidents',
    title: 'Incidents',
    icon: 'incidents',
    needs: 'POST /incident/search',
    load: () => import('./pages/incidents/IncidentsPage.tsx'),
  },
  { path: '/incidents/:uid', title: 'Incident', load: () => import('./pages/incidents/IncidentPage.tsx') },
  {
    path: '/projects',
    title: 'Contracts',
    icon: 'projects',
    needs: 'POST /project/search',
    load: () => import('./pages/projects/ProjectsPage.tsx'),
  },
  { path: '/projects/:id', title: 'Project', load: () => import('./pages/projects/ProjectPage.tsx') },
  { path: '/contracts/:id', title: 'Contract', load: () => import('./pages/contracts/ContractPage.tsx') },
  {
    path: '/detectors',
    title: 'Detectors',
    icon: 'detectors',
    needs: 'POST /detector/search',
    load: () => import('./pages/detectors/DetectorsPage.tsx'),
  },
  { path: '/triggers', title: 'Triggers', load: () => import('./pages/detectors/TriggersPage.tsx') },
  { path: '/catalogue', title: 'Catalogue', load: () => import('./pages/detectors/CataloguePage.tsx') },
  { path: '/detectors/:id', title: 'Detector', load: () => import('./pages/detectors/DetectorPage.tsx') },
  {
    path: '/actions',
    title: 'Actions',
    icon: 'actions',
    needs: 'POST /action/search',
    load: () => import('./pages/actions/ActionsPage.tsx'),
  },
  { path: '/wallets', title: 'Wallets', load: () => import('./pages/actions/WalletsPage.tsx') },
  { path: '/approvals', title: 'Approvals', load: () => import('./pages/actions/ApprovalsPage.tsx') },
  {
    path: '/destinations',
    title: 'Destinations',
    icon: 'destinations',
    needs: 'POST /destination/search',
    load: () => import('./pages/destinations/DestinationsPage.tsx'),
  },
  { path: '/routes', title: 'Routes', load: () => import('./pages/routes/RoutesPage.tsx') },
  { path: '/silences', title: 'Silences', load: () => import('./pages/silences/SilencesPage.tsx') },
  {
    path: '/planned',
    title: 'Planned changes',
    load: () => import('./pages/silences/PlannedChangesPage.tsx'),
  },
  { path: '/oncall', title: 'On call', load: () => import('./pages/oncall/OnCallPage.tsx') },
  { path: '/chains', title: 'Escalation chains', load: () => import('./pages/oncall/ChainsPage.tsx') },
  { path: '/timesets', title: 'Time sets', load: () => import('./pages/silences/TimeSetsPage.tsx') },
  {
    path: '/scores',
    title: 'Scores',
    icon: 'scores',
    needs: 'POST /instance/search',
    load: () => import('./pages/scores/ScoresPage.tsx'),
  },
  { path: '/licenses', title: 'Licenses', load: () => import('./pages/scores/LicensesPage.tsx') },
  {
    path: '/admin',
    title: 'Administration',
    icon: 'admin',
    load: () => import('./pages/admin/AdminPage.tsx'),
  },
  { path: '/admin/:section', title: 'Administration', load: () => import('./pages/admin/AdminPage.tsx') },
];

/** The page of a path, and what stands in the path for its parameters. */
export function findPage(path: string): { page: PageRow; params: Record<string, string> } | undefined {
  for (const page of pages) {
    const params = matchPath(page.path, path);
    if (params) return { page, params };
  }
  return undefined;
}
