import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { client } from '../../state/api.ts';
import { mayChooseTenant, tenantId } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

export type Contact = ReplyOf<'GET', '/contact'>['contacts'][number];

/** Everyone of the tenant who can be put on call; no one while an administrator has chosen no tenant. */
export function usePeople(): { people: readonly Contact[]; reload(): void } {
  const id = tenantId.value;
  const { data, reload } = useLoad(id === undefined || id === null ? null : `contacts ${id}`, (signal) =>
    client.get('/contact', { query: mayChooseTenant.value ? { tenantId: id! } : {}, signal }),
  );
  return { people: data?.contacts ?? [], reload };
}
