import { groupDigits } from '../../../evidence/amounts.ts';
import { harmless } from '../../../lib/harmless.ts';
import { showValue } from '../../../lib/showValue.ts';
import { readEvidence } from '../../../model/evidenceReadings.ts';
import type { IncidentKeyRow } from '../../../store/alerts/incidentTable.ts';
import type { Call } from '../../call.ts';
import { gatherStory, type IncidentStory } from './readStory.ts';
import type { StoryAlert } from './storyAlert.ts';
import type { Step } from './toTimeline.ts';

/** Alerts whose evidence a report holds; the others are counted. */
const maxAlerts = 50;
const maxMembers = 30;

/** The incident as a Markdown document, written from the same facts as its page. */
export async function readReport(call: Call, uid: string): Promise<{ name: string; markdown: string }> {
  const { incident, alerts, story } = await gatherStory(call, uid);
  return { name: `incident-${story.uid}.md`, markdown: writeReport(incident, alerts, story, call.now) };
}

function writeReport(
  incident: IncidentKeyRow,
  alerts: readonly StoryAlert[],
  story: IncidentStory,
  now: number,
): string {
  const nameOf = createNames(story);
  const contractName = (id: number) =>
    escapeText(story.contracts.find((contract) => contract.id === id)?.name ?? `contract #${id}`);
  const chosen = story.lost.losses.length > 0 ? story.lost : story.prevented;
  const sections = [
    `# ${escapeText(String(incident.name), 200)}`,
    `**${escapeText(story.headline, 1000)}**`,
    table(
      ['Fact', 'Value'],
      [
        ['Incident', story.uid],
        ['Severity', String(incident.severity)],
        ['Status', String(incident.status)],
        ['State', story.progress.state],
        ['From', showTime(incident.firstAt)],
        ['Until', showTime(incident.lastAt)],
        ['Alerts', String(incident.alerts)],
        ['By', story.by.map(({ address }) => `${nameOf(address)} (${address})`).join(', ') || 'unknown'],
        ...(typeof incident.disposition === 'string' ? [['Judged', incident.disposition]] : []),
        ['Written', showTime(now)],
      ],
    ),
    section(
      story.lost.losses.length > 0 ? 'Lost' : 'Prevented',
      table(
        ['Contract', 'Amount', 'Before', 'After', 'Share'],
        chosen.losses.map(({ contractId, amount, symbol, asset, before, after, percent, isClaimed }) => [
          contractName(contractId),
          `${groupDigits(amount)} ${assetName(symbol, asset)}${isClaimed ? ' (as the token claims)' : ''}`,
          before === null ? '' : groupDigits(before),
          after === null ? '' : groupDigits(after),
          percent === null ? '' : `${percent} %`,
        ]),
      ),
    ),
    section(
      'Where the money went',
      table(
        ['From', 'To', 'Amount', 'Transactions'],
        story.flows.edges.map(({ from, to, amount, symbol, asset, transactions, isReported }) => [
          nameOf(from),
          nameOf(to),
          `${groupDigits(amount)} ${assetName(symbol, asset)}${isReported ? ' (by evidence)' : ''}`,
          String(transactions),
        ]),
      ),
    ),
    section('Timeline', story.timeline.map((step) => `- ${describeStep(step, nameOf)}`).join('\n')),
    section(
      'Transactions',
      table(
        ['Time', 'Block', 'Transaction', 'Alerts'],
        story.transactions.map(({ at, blockNumber, txHash, alerts: count }) => [
          showTime(at),
          blockNumber === null ? 'pending' : String(blockNumber),
          escapeText(txHash, 100),
          String(count),
        ]),
      ),
    ),
    section('Evidence', alerts.slice(0, maxAlerts).map(describeAlert).join('\n\n')),
    leftOutOf(story, alerts),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function section(title: string, text: string): string {
  return text === '' ? '' : `## ${title}\n\n${text}`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

function describeStep(step: Step, nameOf: (address: string) => string): string {
  const { at, type, blockNumber, txHash, from, to, text, state, reason, count, alert, folded, foldedMore } =
    step;
  const parts = [
    `${showTime(at)} · ${type.toLowerCase()}${state ? ` ${state.toLowerCase()}` : ''}`,
    from && `${nameOf(from)}${to ? ` → ${nameOf(to)}` : ''}`,
    text && escapeText(text, 200),
    count > 1 && `${count} times`,
    reason && escapeText(reason, 500),
    alert && `${alert.severity} ${escapeText(alert.name, 200)}: ${escapeText(alert.message, 500)}`,
    folded.length > 0 && `and ${folded.length + foldedMore} more alerts of it`,
    blockNumber !== null && `block ${blockNumber}`,
    txHash && escapeText(txHash, 100),
  ];
  return parts.filter(Boolean).join(' · ');
}

function describeAlert(alert: StoryAlert): string {
  const { severity, name, message, uid, meta, status } = alert;
  const { first, folded } = readEvidence(alert.detectorSchemaName, meta);
  const members = [...first, ...folded]
    .slice(0, maxMembers)
    .map(({ title, value }) => `- ${escapeText(title, 60)}: ${escapeText(showValue(value), 300)}`);
  const gone = status === 'RETRACTED' ? ' (retracted)' : '';
  return [
    `### ${severity} · ${escapeText(name, 200)}${gone}`,
    escapeText(message, 1500),
    [`- alert: ${uid}`, ...members].join('\n'),
  ].join('\n\n');
}

function leftOutOf({ leftOut }: IncidentStory, alerts: readonly StoryAlert[]): string {
  const evidence = Math.max(0, alerts.length - maxAlerts) + leftOut.alerts;
  const parts = [
    evidence > 0 ? `the evidence of ${evidence} alerts` : '',
    leftOut.steps > 0 ? `${leftOut.steps} steps of the timeline` : '',
    leftOut.flows > 0 ? `${leftOut.flows} smaller moves` : '',
  ].filter(Boolean);
  return parts.length === 0 ? '' : `Left out: ${parts.join(', ')}.`;
}

function createNames({ parties }: IncidentStory): (address: string) => string {
  const names = new Map(parties.map(({ address, name }) => [address, name]));
  return (address) => escapeText(names.get(address) ?? address, 130);
}

/** Its symbol, or its address, which pushed findings may say anything about. */
function assetName(symbol: string | null, asset: string): string {
  return symbol ? escapeText(symbol, 32) : escapeText(asset, 130);
}

/** Text of strangers in Markdown: one line, without markup, links, tables or headings of its own. */
function escapeText(text: string, max = 100): string {
  return harmless(text, max).replace(/[\\[\]|_#!&]/g, (mark) => `\\${mark}`);
}

function showTime(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}
