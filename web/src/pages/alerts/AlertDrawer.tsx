import { useState } from 'preact/hooks';
import type { Alert } from '../../../../sdk/src/index.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { href } from '../../state/route.ts';
import { useLoad } from '../../state/useLoad.ts';
import { AlertView } from './AlertView.tsx';
import { FoundBy } from './FoundBy.tsx';
import type { Matched } from './matched.ts';

export type AlertDrawerProps = {
  uid: string;
  /** What the table has of it, shown until the whole is read. */
  row: Alert | undefined;
  /** Why the search of the table found it. */
  matched: Matched | undefined;
  onChange(alert: Alert): void;
  onClose(): void;
};

/** One alert beside the table. */
export function AlertDrawer({ uid, row, matched, onChange, onClose }: AlertDrawerProps) {
  const loaded = useLoad(uid, (signal) => client.get('/alert/{uid}', { path: { uid }, signal }));
  const [changed, setChanged] = useState<Alert>();
  const alert = changed ?? loaded.data ?? row;
  return (
    <Dialog kind="drawer" title={alert?.name.slice(0, 300) ?? 'Alert'} onClose={onClose}>
      <Problem error={loaded.error} retry={loaded.reload} />
      {!alert && loaded.isLoading && <Loading />}
      {alert && (
        <>
          <AlertView
            alert={alert}
            onChange={(next) => {
              setChanged(next);
              onChange(next);
            }}
          />
          {matched && <FoundBy matched={matched} />}
          <p>
            <a href={href(`/alert/${uid}`)}>Open as a page of its own</a>
          </p>
        </>
      )}
    </Dialog>
  );
}
