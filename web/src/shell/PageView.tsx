import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../pageProps.ts';
import type { PageRow } from '../pages.ts';
import { Loading } from '../parts/Empty.tsx';
import { messageOf } from '../state/api.ts';
import { reconnections } from '../state/connection.ts';

type State = { Page?: FunctionComponent<PageProps>; error?: unknown };

const opened = new Map<PageRow, FunctionComponent<PageProps>>();

/** Reads the code of a page, once. */
export async function openPage(page: PageRow): Promise<FunctionComponent<PageProps>> {
  const { default: Page } = await page.load();
  opened.set(page, Page);
  return Page;
}

/** Reads the code of a page when it is first opened. */
export function PageView({ page, params }: { page: PageRow; params: Record<string, string> }) {
  const [{ Page = opened.get(page), error }, setState] = useState<State>({});
  const returns = reconnections.value;
  // A lost connection is reason enough to try again.
  useEffect(() => {
    document.title = `${page.title} – Vigil`;
    if (Page) return;
    openPage(page).then(
      (Page) => setState({ Page }),
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
