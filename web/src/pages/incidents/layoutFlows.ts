import type { FlowEdge, FlowNode } from './story.ts';

export type PlacedNode = FlowNode & { x: number; y: number; height: number };
export type PlacedEdge = FlowEdge & {
  path: string;
  /** Width of the line. */
  width: number;
  /** The middle of the line, where its label stands. */
  x: number;
  y: number;
  /** It runs against the others, as what is paid back does. */
  isBack: boolean;
};
export type FlowPicture = { nodes: PlacedNode[]; edges: PlacedEdge[]; width: number; height: number };

export const nodeWidth = 190;
const columnGap = 210;
const rowGap = 26;
const leastHeight = 64;
const widest = 18;
const narrowest = 1.5;
const padding = 12;

/** Places who gave on the left, who passed it on in the middle, and who has it in the end on the right. */
export function layoutFlows(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): FlowPicture {
  const columns = toColumns(nodes, edges);
  const widthOf = ({ share }: FlowEdge) => Math.max(narrowest, share * widest);
  const heightOf = ({ address }: FlowNode) => {
    const ends = edges.filter(({ from, to }) => from === address || to === address).length;
    return Math.max(leastHeight, ends * (widest + 6) + padding);
  };
  const tallest = Math.max(
    0,
    ...columns.map((column) => column.reduce((sum, node) => sum + heightOf(node) + rowGap, -rowGap)),
  );
  const placed = new Map<string, PlacedNode & { column: number }>();
  for (const [column, list] of columns.entries()) {
    const total = list.reduce((sum, node) => sum + heightOf(node) + rowGap, -rowGap);
    let y = padding + (tallest - total) / 2;
    for (const node of list) {
      const height = heightOf(node);
      placed.set(node.address, { ...node, x: column * (nodeWidth + columnGap), y, height, column });
      y += height + rowGap;
    }
  }
  const used = new Map<string, number>();
  const portOf = (address: string): number => {
    const node = placed.get(address)!;
    const count = edges.filter(({ from, to }) => from === address || to === address).length;
    const index = used.get(address) ?? 0;
    used.set(address, index + 1);
    return node.y + ((index + 0.5) * node.height) / count;
  };
  const lines = edges
    .filter(({ from, to }) => placed.has(from) && placed.has(to))
    .map((edge): PlacedEdge => {
      const [from, to] = [placed.get(edge.from)!, placed.get(edge.to)!];
      const width = widthOf(edge);
      const [y1, y2] = [portOf(edge.from), portOf(edge.to)];
      const isSame = from.column === to.column;
      const isBack = from.column > to.column;
      const x1 = isBack ? from.x : from.x + nodeWidth;
      const x2 = isBack || isSame ? to.x + nodeWidth : to.x;
      const bend = isSame ? columnGap / 2 : (x2 - x1) / 2;
      const path = isSame
        ? `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 + bend} ${y2} ${x2} ${y2}`
        : `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
      // A line over several columns has its label before the first of the boxes that it passes.
      const isLong = Math.abs(to.column - from.column) > 1;
      const x = isSame ? x1 + bend * 0.75 : x1 + (x2 - x1) * (isLong ? 0.2 : 0.5);
      const y = isLong ? y1 + (y2 - y1) * 0.1 : (y1 + y2) / 2;
      return { ...edge, path, width, isBack, x, y };
    });
  const width = Math.max(1, columns.length) * (nodeWidth + columnGap) - columnGap;
  const hasArcs = lines.some(({ from, to }) => placed.get(from)!.column === placed.get(to)!.column);
  return {
    nodes: [...placed.values()],
    edges: separateLabels(lines),
    width: width + (hasArcs ? columnGap / 2 : 0),
    height: tallest + 2 * padding,
  };
}

/** Room that a label takes. */
const labelSize = { width: 150, height: 19 };

/** Moves labels down until none covers another one. */
function separateLabels(lines: readonly PlacedEdge[]): PlacedEdge[] {
  const labels: { x: number; y: number }[] = [];
  const lowered = new Map<PlacedEdge, number>();
  for (const line of lines.toSorted((a, b) => a.y - b.y)) {
    let { y } = line;
    const covers = (label: { x: number; y: number }) =>
      Math.abs(label.x - line.x) < labelSize.width && Math.abs(label.y - y) < labelSize.height;
    for (let label = labels.find(covers); label; label = labels.find(covers)) y = label.y + labelSize.height;
    labels.push({ x: line.x, y });
    lowered.set(line, y);
  }
  return lines.map((line) => ({ ...line, y: lowered.get(line) ?? line.y }));
}

/** Without empty columns. */
function toColumns(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): FlowNode[][] {
  const gives = new Set(edges.map(({ from }) => from));
  const gets = new Set(edges.map(({ to }) => to));
  const columnOf = ({ address, side }: FlowNode): number => {
    const isLast = gets.has(address) && !gives.has(address);
    if (side === 'ATTACKER') return isLast ? 2 : 1;
    if (side === 'OURS') return 0;
    return isLast ? 2 : 0;
  };
  const order = { OURS: 0, ATTACKER: 1, OTHER: 2 } as const;
  return [0, 1, 2]
    .map((column) =>
      nodes.filter((node) => columnOf(node) === column).sort((a, b) => order[a.side] - order[b.side]),
    )
    .filter((column) => column.length > 0);
}
