import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageProps, PageRow } from '../pages.ts';
import { Loading } from '../parts/Empty.tsx';
import { messageOf } from '../state/api.ts';
import { reconnections } from '../state/connection.ts';

type State = { Page?: FunctionComponent<PageProps>; error?: unknown };

/** Reads the code of a page when it is first opened. */
export function PageView({ page, params }: { page: PageRow; params: Record<string, string> }) {
  const [{ Page, error }, setState] = useState<State>({});
  const returns = reconnections.value;
  // A lost connection is reason enough to try again.
  useEffect(() => {
    document.title = `${page.title} – Vigil`;
    if (Page) return;
    page.load().then(
      (module) => setState({ Page: module.default }),
      (reason: unknown) => setState({ error: reason }),
    );
  }, [page, returns]);
  if (Page) return <Page params={params} />;
  if (error === undefined) return <div class="page">{<Loading />}</div>;
  return (
    <div class="page">
      <div class="notice bad" role="alert">
        <p>This page could not be read: {messageOf(error)}</p>
        <button type="button" class="link" onClick={() => location.reload()}>
          Load the console again
        </button>
      </div>
    </div>
  );
}
