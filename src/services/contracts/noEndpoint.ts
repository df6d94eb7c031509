/** The message for a request that needs a chain without endpoints. */
export function noEndpoint(chainUid: string): string {
  return `No endpoint is configured for ${chainUid}; an administrator adds one by POST /chain/${chainUid}/endpoint.`;
}
