import type { Alert } from '../../../../sdk/src/index.ts';
import { Icon } from '../../parts/Icon.tsx';
import { client } from '../../state/api.ts';
import { attempt } from '../../state/toasts.ts';
import type { AlertSearch } from './useAlertPages.ts';

const most = 10_000;

/** What the search finds as a file, at most 10,000 alerts. */
export function ExportMenu({ search }: { search: AlertSearch }) {
  const save = (format: 'json' | 'csv') =>
    attempt(async () => {
      const { query, from, to } = search;
      const alerts: Alert[] = [];
      for await (const alert of client.each('/alert/search', {
        body: { query, timeseries: [{ from, to }] },
      })) {
        alerts.push(alert);
        if (alerts.length === most) break;
      }
      const text = format === 'json' ? JSON.stringify(alerts, null, 1) : toCsv(alerts);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(
        new Blob([text], { type: format === 'json' ? 'application/json' : 'text/csv' }),
      );
      link.download = `alerts.${format}`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  return (
    <span class="row tight">
      <button type="button" class="plain small" onClick={() => save('csv')}>
        <Icon name="download" />
        CSV
      </button>
      <button type="button" class="plain small" onClick={() => save('json')}>
        <Icon name="download" />
        JSON
      </button>
    </span>
  );
}

const members = [
  'timestamp',
  'severity',
  'status',
  'kind',
  'name',
  'message',
  'chainUid',
  'blockNumber',
  'txHash',
  'projectId',
  'contractId',
  'detectorId',
  'triggerId',
  'finality',
  'tags',
  'uid',
] as const;

function toCsv(alerts: readonly Alert[]): string {
  const lines = alerts.map((alert) => members.map((name) => cell(alert[name])).join(','));
  return `${members.join(',')}\r\n${lines.join('\r\n')}\r\n`;
}

/** A text that begins like a formula would run in a spreadsheet. */
function cell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : Array.isArray(value) ? value.join(' ') : String(value);
  return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
