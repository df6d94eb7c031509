export type Series = {
  label: string;
  /** A custom property of the theme: `--critical`. */
  color: string;
  values: readonly (number | null)[];
  /** Bars stand on those of the series before. */
  kind?: 'line' | 'step' | 'bars';
};

/** A moment that is drawn across a chart, such as that of an alert. */
export type ChartMark = { at: number; label: string; color: string };

export type ChartProps = {
  label: string;
  /** Epoch milliseconds. */
  times: readonly number[];
  series: readonly Series[];
  height?: number;
  /** Milliseconds that a bar stands for. */
  step?: number;
  /** Called with the range that was dragged over. */
  onRange?(from: number, to: number): void;
  range?: { from: number; to: number };
  marks?: readonly ChartMark[];
};
