import type { Principal, Scope } from '../../model/principal.ts';
import type { Endpoint } from './endpoint.ts';

export type Caller = {
  principal: Principal;
  scope: Scope;
  visible: Scope;
  /** Source of the token: the header, or the cookie in its form. */
  authorization: string | undefined;
  hasCookie: boolean;
};

/** Ends with the work that it is spent on. */
export type ImportTurn = { spend<T>(work: () => Promise<T>): Promise<T> };

declare module 'fastify' {
  interface FastifyRequest {
    /** The endpoint's route; reading it from Fastify builds an object every time. */
    route: string | null;
    endpoint: Endpoint | null;
    /** Set once the request is authorized. */
    caller: Caller | null;
    /** Of an import. */
    importTurn: ImportTurn | null;
  }
}

/** The principal of requests without a token. */
export const anonymous: Principal = {
  tokenId: 0,
  tokenKind: 'SESSION',
  userId: null,
  tenantId: null,
  organisationId: null,
  roles: [],
  readOnly: null,
};

export function isAnonymous({ tokenId }: Principal): boolean {
  return tokenId === anonymous.tokenId;
}

/** Key of the share that a caller uses up. */
export function shareOf({ tenantId, organisationId }: Principal): string {
  if (tenantId !== null) return `tenant ${tenantId}`;
  return organisationId === null ? 'platform' : `organisation ${organisationId}`;
}
