/** What to tell whoever asks for something on a chain that is not followed here. */
export function noEndpoint(chainUid: string): string {
  return `No endpoint is configured for ${chainUid}; whoever runs Vigil sets VIGIL_RPC_${chainUid.toUpperCase()}.`;
}
