import type { Severity } from '../../model/alert.ts';

/** One thing worth telling, before it takes the form of a medium. All text in it is clean, none of it is escaped. */
export type Story = {
  /** One line: a mail's subject, a message's first line. */
  title: string;
  severity?: Severity;
  /** What happened, in sentences; may have several lines. */
  lead: string;
  facts: readonly Fact[];
  /** Of a digest: what it is about, the worst first. */
  items: readonly Item[];
  /** How many more there are than `items` has. */
  more: number;
  links: readonly Link[];
  footer: string;
};

export type Fact = { name: string; value: string };
export type Link = { label: string; url: string };
type Item = { title: string; severity?: Severity; lead: string; link?: string };

/** Where there is no colour of our own. */
export const severityMark: Record<Severity, string> = {
  INFO: '⚪',
  LOW: '🔵',
  MEDIUM: '🟡',
  HIGH: '🟠',
  CRITICAL: '🔴',
};
