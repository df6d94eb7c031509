import { Icon } from '../../parts/Icon.tsx';
import { href } from '../../state/route.ts';
import { can, mayChooseTenant, tenantId } from '../../state/session.ts';
import { AlertsOverTime } from './AlertsOverTime.tsx';
import { AwayCard } from './AwayCard.tsx';
import { ChainsCard } from './ChainsCard.tsx';
import { Checklist } from './Checklist.tsx';
import { FaultsCard } from './FaultsCard.tsx';
import { NewestCard } from './NewestCard.tsx';
import { PlanCard } from './PlanCard.tsx';
import './overview.css';

/** What matters now; a thing that is wrong is one press from where it is mended. */
export default function OverviewPage() {
  // Another tenant is another overview.
  const key = mayChooseTenant.value ? (tenantId.value ?? 0) : 'own';
  return (
    <div class="page" key={key}>
      <header>
        <h1>Overview</h1>
        {can('POST /contract') && (
          <a class="button primary" href={href('/projects?add=1')}>
            <Icon name="plus" />
            Watch a contract
          </a>
        )}
      </header>
      <Checklist />
      <AwayCard />
      <AlertsOverTime />
      <div class="overview-cards">
        <NewestCard />
        <div class="stack wide">
          <FaultsCard />
          <ChainsCard />
          <PlanCard />
        </div>
      </div>
    </div>
  );
}
