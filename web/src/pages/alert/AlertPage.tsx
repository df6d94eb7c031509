import { useEffect, useState } from 'preact/hooks';
import type { Alert } from '../../../../sdk/src/index.ts';
import type { PageProps } from '../../pageProps.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client, VigilError } from '../../state/api.ts';
import { href } from '../../state/route.ts';
import { useLoad } from '../../state/useLoad.ts';
import { AlertView } from '../alerts/AlertView.tsx';
import { IncidentLine } from './IncidentLine.tsx';

/** What the link of a notification opens: made to be understood on a phone in the night. */
export default function AlertPage({ params }: PageProps) {
  const uid = params.uid ?? '';
  const loaded = useLoad(uid, (signal) => client.get('/alert/{uid}', { path: { uid }, signal }));
  const [changed, setChanged] = useState<Alert>();
  const alert = changed?.uid === uid ? changed : loaded.data;
  useEffect(() => {
    if (alert) document.title = `${alert.severity}: ${alert.name.slice(0, 200)} – Vigil`;
  }, [alert]);
  if (loaded.error instanceof VigilError && loaded.error.status === 404 && !alert)
    return (
      <div class="page">
        <Empty
          title="There is no such alert, or you may not see it."
          action={<a href={href('/alerts')}>All alerts</a>}
        />
      </div>
    );
  return (
    <div class="page alert-page">
      <Problem error={loaded.error} retry={loaded.reload} />
      {!alert && loaded.isLoading && <Loading />}
      {alert && (
        <>
          <header class="row apart still">
            <h1 class="foreign">{alert.name.slice(0, 300)}</h1>
            <span class="row tight still unprinted">
              <CopyButton text={location.href} label="Copy the link to this alert" />
              <button type="button" class="small" onClick={() => print()}>
                Print
              </button>
            </span>
          </header>
          <IncidentLine alert={alert} />
          <AlertView alert={alert} onChange={setChanged} />
        </>
      )}
    </div>
  );
}
