/** Tags that detectors look for; any other may be used as well. */
export const labelTags = ['SANCTION', 'EXPLOIT', 'MIXER', 'BRIDGE', 'SCAM', 'SPENDER', 'EXCHANGE'] as const;

/** Knowledge about an address. Without a tenant it is the platform's, without a chain it holds on every EVM chain. */
export type AddressLabel = {
  id: number;
  tenantId: number | null;
  chainUid: string | null;
  /** In the canonical spelling of its chain. */
  address: string;
  name: string | null;
  tags: string[];
  /** Suspicion, from 0 to 100. */
  score: number;
  source: string | null;
  note: string | null;
};

/** The source of the labels that Vigil ships. */
export const baseListSource = 'Vigil';

/** The labels of one address that count for a tenant: a label of its own stands in for what Vigil ships. */
export function labelsFor<T extends Pick<AddressLabel, 'tenantId' | 'source'>>(
  tenantId: number,
  labels: readonly T[],
): T[] {
  const hasOwn = labels.some((label) => label.tenantId === tenantId);
  return labels.filter((label) =>
    label.tenantId === null ? !hasOwn || label.source !== baseListSource : label.tenantId === tenantId,
  );
}
