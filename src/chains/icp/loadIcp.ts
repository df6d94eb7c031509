/** The library of the Internet Computer, loaded on first use: those who follow no such chain do not wait for it at start. */
export async function loadIcp() {
  loaded ??= Promise.all([
    import('@icp-sdk/core/agent'),
    import('@icp-sdk/core/candid'),
    import('@icp-sdk/core/principal'),
  ]).then(([agent, { IDL }, { Principal }]) => ({ agent, IDL, Principal }));
  return loaded;
}

let loaded: Promise<Icp> | undefined;

export type Icp = {
  readonly agent: typeof import('@icp-sdk/core/agent');
  readonly IDL: typeof import('@icp-sdk/core/candid').IDL;
  readonly Principal: typeof import('@icp-sdk/core/principal').Principal;
};
