/** Why a detector cannot use an answer from a network that every tenant may reach. */
export const withheldBody =
  'The address is in a private network, of whose answers only the status is used; an operator can allow the network to this tenant with VIGIL_ALLOW_NETWORKS.';
