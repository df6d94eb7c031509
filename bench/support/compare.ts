import type { Case } from './cases.ts';
import type { Order, Tally } from './load.ts';

/** `cpuMs` is the processor time of the server's process for one request, whatever else keeps the machine busy. */
type Figures = Pick<Tally, 'perSecond' | 'p50Ms' | 'p99Ms'> & { cpuMs: number };
/** `ratio` is what a request costs beside the bare route, by throughput with the same connections. */
export type Comparison = { name: string; connections: number; ours: Figures; bare: Figures; ratio: number };
type Ports = { ours: number; bare: number };

const rounds = 9;
const roundMs = 800;
const warmUpMs = 2_000;

/** Takes turns, so that whatever else the machine does hits both; the ratio is the median over the turns. */
export async function compare(
  run: (order: Order) => Promise<Tally>,
  ports: Ports,
  { name, ours, bare }: Case,
): Promise<Comparison> {
  const shots = { ours, bare };
  const turn = async (server: keyof Ports, ms: number): Promise<Figures> => {
    const before = process.cpuUsage();
    const tally = await run({ port: ports[server], shots: shots[server], ms });
    const { user, system } = process.cpuUsage(before);
    return { ...tally, cpuMs: (user + system) / 1000 / tally.count };
  };
  await turn('bare', warmUpMs);
  await turn('ours', warmUpMs);
  const turns: { ours: Figures; bare: Figures }[] = [];
  for (let round = 0; round < rounds; round++) {
    // The second run meets what the first left: garbage and unwritten pages.
    if (round % 2 === 0) {
      const first = await turn('ours', roundMs);
      turns.push({ ours: first, bare: await turn('bare', roundMs) });
    } else {
      const first = await turn('bare', roundMs);
      turns.push({ bare: first, ours: await turn('ours', roundMs) });
    }
  }
  return {
    name,
    connections: ours.length,
    ours: typical(turns.map((pair) => pair.ours)),
    bare: typical(turns.map((pair) => pair.bare)),
    ratio: median(turns.map((pair) => pair.bare.perSecond / pair.ours.perSecond)),
  };
}

function typical(figures: readonly Figures[]): Figures {
  return {
    perSecond: median(figures.map(({ perSecond }) => perSecond)),
    p50Ms: median(figures.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(figures.map(({ p99Ms }) => p99Ms)),
    cpuMs: median(figures.map(({ cpuMs }) => cpuMs)),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
