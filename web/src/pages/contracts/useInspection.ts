import { client } from '../../state/api.ts';
import type { Chain } from '../../state/names.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';
import type { Inspected } from './kindTitles.ts';

export type Inspection = {
  data: readonly Inspected[] | undefined;
  isLoading: boolean;
  error: unknown;
  reload(): void;
};

/** Looks at an address on the chains that it can be on; nothing while it is not whole, or on chains that cannot be asked. */
export function useInspection(address: string, chains: readonly Chain[]): Inspection {
  const isAsked = chains.some(({ canInspect }) => canInspect) && can('POST /contract/inspect');
  const { data, error, isLoading, reload } = useLoad(isAsked ? address : null, (signal) =>
    client.post('/contract/inspect', { body: { address }, signal }),
  );
  if (!isAsked || isLoading) return { data: undefined, isLoading: isAsked, error: undefined, reload };
  return { data: error === undefined ? data?.data : undefined, isLoading: false, error, reload };
}
