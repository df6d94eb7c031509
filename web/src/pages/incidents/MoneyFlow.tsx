import { useMemo } from 'preact/hooks';
import { Amount } from '../../parts/Amount.tsx';
import { shorten, showCount } from '../../state/format.ts';
import { isNarrow } from '../../state/theme.ts';
import { layoutFlows, nodeWidth, type PlacedEdge, type PlacedNode } from './layoutFlows.ts';
import { PartyName } from './PartyName.tsx';
import type { FlowEdge, Parties, Story } from './story.ts';

/** Who gave what to whom: a picture on wide screens, and everywhere a list that says the same. */
export function MoneyFlow({ story, parties }: { story: Story; parties: Parties }) {
  const { flows, progress } = story;
  const picture = useMemo(() => layoutFlows(flows.nodes, flows.edges), [flows]);
  const isTried = progress.state === 'PREVENTED' || progress.state === 'PENDING';
  return (
    <section class="card" aria-labelledby="flow">
      <header>
        <h2 id="flow">{isTried ? 'Where the money would have gone' : 'Where the money went'}</h2>
        <p class="row tight small" aria-hidden="true">
          <span class="side ours">yours</span>
          <span class="side attacker">attacker</span>
          <span class="side other">others</span>
        </p>
      </header>
      {flows.edges.length === 0 ? (
        <p class="dim">No move of coins or tokens is known.</p>
      ) : (
        <>
          <svg
            class="flow"
            viewBox={`0 0 ${picture.width} ${picture.height}`}
            role="img"
            aria-label={`${flows.edges.length === 1 ? '1 move' : `${flows.edges.length} moves`} among ${flows.nodes.length} parties; the list says the same.`}
          >
            {picture.edges.map((edge, index) => (
              <Line key={index} edge={edge} />
            ))}
            {picture.nodes.map((node) => (
              <Box key={node.address} node={node} />
            ))}
            {picture.edges.map((edge, index) => (
              <text key={index} class="flow-label" x={edge.x} y={edge.y + 4}>
                {amountText(edge)}
              </text>
            ))}
          </svg>
          <details open={isNarrow.value}>
            <summary>As a list</summary>
            <ul class="flow-list">
              {flows.edges.map((edge, index) => (
                <li key={index}>
                  <span>
                    <PartyName address={edge.from} parties={parties} />
                    <span aria-hidden="true"> → </span>
                    <span class="hide-visually"> to </span>
                    <PartyName address={edge.to} parties={parties} />
                  </span>
                  <span class="flow-amount">
                    <Amount value={edge.amount} symbol={symbolOf(edge)} />
                    {edge.usd !== null && (
                      <span class="dim small"> {showCount(Math.round(edge.usd))} USD</span>
                    )}
                  </span>
                  <span class="flow-bar" aria-hidden="true">
                    <i style={{ width: `${Math.max(1, edge.share * 100)}%` }} />
                  </span>
                </li>
              ))}
            </ul>
          </details>
        </>
      )}
      <p class="dim small">
        {flows.edges.some(({ isReported }) => isReported) &&
          'Dashed: as the evidence of alerts says; no node has shown it. '}
        {flows.leftOut > 0 && `${showCount(flows.leftOut)} smaller moves are left out. `}
        {story.leftOut.transactions > 0 &&
          `${story.leftOut.transactions === 1 ? '1 transaction is' : `${showCount(story.leftOut.transactions)} transactions are`} known by alerts alone.`}
      </p>
    </section>
  );
}

function Line({ edge: { path, width, isBack, isReported, to, from, amount } }: { edge: PlacedEdge }) {
  return (
    <path
      class={`flow-line${isBack ? ' back' : ''}${isReported ? ' reported' : ''}`}
      d={path}
      fill="none"
      stroke-width={width}
    >
      <title>{`${from} → ${to}: ${amount}`}</title>
    </path>
  );
}

function Box({ node: { address, name, side, tags, net, x, y, height } }: { node: PlacedNode }) {
  const [first] = net;
  const [tag] = tags;
  const lines = [
    { kind: 'flow-name', text: cut(name ?? shorten(address), 24) },
    ...(tag ? [{ kind: 'flow-tag', text: cut(tag, 24) }] : []),
    ...(first ? [{ kind: 'flow-net', text: netText(first) }] : []),
  ];
  const top = y + height / 2 + 5 - ((lines.length - 1) * 17) / 2;
  return (
    <g class={`flow-node ${side.toLowerCase()}`}>
      <title>{`${name ?? address} ${tags.join(', ')}`}</title>
      <rect x={x} y={y} width={nodeWidth} height={height} rx={6} />
      {lines.map(({ kind, text }, index) => (
        <text key={kind} x={x + 12} y={top + index * 17} class={kind}>
          {text}
        </text>
      ))}
    </g>
  );
}

function netText({ amount, symbol }: PlacedNode['net'][number]): string {
  const sign = amount.startsWith('-') ? '−' : '+';
  return cut(`${sign}${shortAmount(amount.replace('-', ''))} ${symbol ?? ''}`, 28);
}

const symbolOf = ({ symbol, asset }: FlowEdge): string => symbol ?? shorten(asset);

const amountText = (edge: FlowEdge): string => cut(`${shortAmount(edge.amount)} ${symbolOf(edge)}`, 26);

/** Enough digits to read in a picture; the list has them all. */
function shortAmount(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  if (whole.length > 18) return `${whole[0]}.${whole.slice(1, 3)} × 10^${whole.length - 1}`;
  const shown = fraction.slice(0, whole.length > 3 ? 2 : 4).replace(/0+$/, '');
  return shown ? `${grouped}.${shown}` : grouped;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
