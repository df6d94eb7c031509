import type { Finding, RetractionReason } from './alert.ts';
import type { BlockRef } from './block.ts';

/**
 * The change of alerts by one step of a chain, with everything that belongs to them. A step may have several, in order.
 */
export type AlertWrite =
  /**
   * `blocks`: alerts that were raised while their transactions were pending become those of the block; the rest is held to the
   * plan's rate. `notices`: their owners get them even beyond it.
   */
  | { type: 'raise'; of: 'blocks' | 'pending' | 'notices'; findings: readonly Finding[] }
  /** Takes back what was found in blocks that a reorganisation dropped: of these tenants, where they do not share a database. */
  | { type: 'retractBlocks'; blocks: readonly BlockRef[]; tenantIds?: readonly number[] }
  | { type: 'retractPending'; alerts: readonly AlertKey[]; reason: RetractionReason };

type AlertKey = { tenantId: number; timestamp: number; uid: string };
