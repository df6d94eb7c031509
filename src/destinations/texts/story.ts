import type { Severity } from '../../model/alert.ts';

/** The content of a message, before it is rendered for a medium. All text is cleaned, none is escaped. */
export type Story = {
  /** One line: a mail's subject, a message's first line. */
  title: string;
  severity?: Severity;
  /** The event in sentences; may have several lines. */
  lead: string;
  facts: readonly Fact[];
  /** The messages of a digest, the most severe first. */
  items: readonly Item[];
  /** Number of items beyond those in `items`. */
  more: number;
  links: readonly Link[];
  footer: string;
};

export type Fact = { name: string; value: string };
/** `isAct`: a page on which the reader acts, which chats show as a button. */
export type Link = { label: string; url: string; isAct?: boolean };
type Item = { title: string; severity?: Severity; lead: string; link?: string };

/** For media without colours. */
export const severityMark: Record<Severity, string> = {
  INFO: '⚪',
  LOW: '🔵',
  MEDIUM: '🟡',
  HIGH: '🟠',
  CRITICAL: '🔴',
};
