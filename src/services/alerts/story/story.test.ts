import { describe, expect, it } from 'vitest';
import { drawFlows } from './drawFlows.ts';
import { findAttackers } from './findAttackers.ts';
import { foldAlerts } from './foldAlerts.ts';
import { judgeProgress } from './judgeProgress.ts';
import { readLoss } from './readLoss.ts';
import type { StoryAlert } from './storyAlert.ts';
import { type LossAlert, sumLosses } from './sumLosses.ts';
import { toTimeline } from './toTimeline.ts';
import { writeHeadline } from './writeHeadline.ts';

const pool = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const thief = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
const weapon = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512';
const token = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';
const contract = { id: 7, name: 'Pool', address: pool, chainUid: 'anvil' };
const contracts = new Map([[7, contract]]);
const now = 1_800_000_000_000;
let count = 0;

function alert(members: Partial<StoryAlert> = {}): StoryAlert {
  count += 1;
  return {
    uid: `alert-${count}`,
    kind: 'detector',
    timestamp: now - 1000,
    contractId: 7,
    detectorId: 1,
    triggerId: null,
    actionId: null,
    detectorSchemaName: 'tvl_drop',
    numericSeverity: 90,
    severity: 'CRITICAL',
    status: 'UNRESOLVED',
    finality: 'FINAL',
    name: 'TVL drop',
    message: 'Pool lost it.',
    chainUid: 'anvil',
    txHash: '0xaa',
    blockNumber: 57,
    blockHash: '0xb57',
    retractedAt: null,
    retractionReason: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    meta: { token, symbol: 'DUSD', drop: '400', before: '500', after: '100', percent: 80, usd: '400' },
    ...members,
  };
}

const asset = (members: object = {}) => ({
  asset: token,
  symbol: 'DUSD',
  change: '-400',
  held: '500',
  ...members,
});
const drain = (members: Partial<StoryAlert> = {}) =>
  alert({
    detectorId: 2,
    detectorSchemaName: 'drain',
    meta: { sender: thief, assets: [asset()], recipients: [weapon], usd: '390' },
    ...members,
  });

const losing = (...alerts: StoryAlert[]): LossAlert[] =>
  alerts.flatMap((one) => {
    const loss = readLoss(one, contract);
    return loss ? [{ alert: one, loss }] : [];
  });

describe('the losses of an incident', () => {
  it('count once what several detectors say of one block, and add up over blocks', () => {
    const first = [alert(), drain(), alert({ txHash: null, detectorId: 3 })];
    const later = alert({
      blockNumber: 58,
      txHash: '0xbb',
      meta: { ...alert().meta, drop: '100', before: '100', after: '0', usd: '100' },
    });
    expect(sumLosses(losing(...first))).toMatchObject({
      losses: [
        {
          contractId: 7,
          asset: token,
          symbol: 'DUSD',
          amount: '400',
          before: '500',
          after: '100',
          percent: 80,
        },
      ],
      usd: 400,
      recipients: [weapon],
    });
    expect(sumLosses(losing(...first, later))).toMatchObject({
      losses: [{ amount: '500', before: '500', after: '0', percent: 100 }],
      usd: 500,
    });
  });

  it('leave out what only a token claims, unless there is nothing else', () => {
    const claim = drain({
      meta: {
        assets: [asset({ asset: thief, change: '-1e9' }), asset({ asset: weapon, change: '-900' })],
        unverified: true,
      },
    });
    expect(sumLosses(losing(alert(), claim)).losses).toHaveLength(1);
    expect(sumLosses(losing(claim)).losses).toMatchObject([
      { asset: weapon, amount: '900', isClaimed: true },
    ]);
  });

  it('take a payment for a loss only if it is severe and nothing came back', () => {
    const payment = { from: pool, to: weapon, token, symbol: 'DUSD', amount: '400' };
    const trigger = alert({ kind: 'trigger', triggerId: 5, detectorSchemaName: null, meta: payment });
    expect(sumLosses(losing(trigger)).losses).toMatchObject([{ amount: '400' }]);
    expect(sumLosses(losing(trigger), () => true).losses).toEqual([]);
    expect(sumLosses(losing({ ...trigger, numericSeverity: 30 })).losses).toEqual([]);
    expect(losing(alert({ kind: 'trigger', meta: { ...payment, from: weapon } }))).toEqual([]);
  });

  it('are nothing for evidence of any other form', () => {
    const odd = [null, -5, 'x', [null], [{ asset: 5 }], { toString: 1 }, '9'.repeat(5000)];
    for (const value of odd)
      expect(
        losing(
          alert({ meta: { token: value, drop: value, usd: value } }),
          drain({ meta: { assets: value } }),
        ),
      ).toEqual([]);
  });
});

describe('the state of an incident', () => {
  const intent = {
    uid: 'i',
    actionId: 1,
    actionName: 'Pause',
    alertUid: null,
    state: 'CONFIRMED' as const,
    reason: null,
    chainUid: 'anvil',
    txHash: '0xcc',
    minedBlock: 58,
    createdAt: now,
    updatedAt: now,
  };
  const judge = (alerts: StoryAlert[], intents: (typeof intent)[] = [], status = 'UNRESOLVED', at = now) =>
    judgeProgress(status, alerts, losing(...alerts), intents, at).state;

  it('goes on for five minutes after the last loss, and is quiet after that', () => {
    expect(judge([alert()])).toBe('ONGOING');
    expect(judge([alert()], [], 'UNRESOLVED', now + 300_000)).toBe('QUIET');
    expect(judge([alert()], [], 'RESOLVED', now + 300_000)).toBe('RESOLVED');
    expect(judge([alert({ finality: 'PENDING', blockNumber: null })])).toBe('PENDING');
  });

  it('is stopped only by what came after the last loss', () => {
    expect(judge([alert()], [intent])).toBe('STOPPED');
    expect(judge([alert(), alert({ blockNumber: 59 })], [intent])).toBe('ONGOING');
    const pause = alert({ detectorSchemaName: 'pause_state', timestamp: now, meta: { isPaused: true } });
    expect(judge([alert(), pause])).toBe('STOPPED');
    expect(judge([alert({ timestamp: now + 1 }), pause])).toBe('ONGOING');
  });

  it('tells what took no effect from what left the chain', () => {
    const gone = { status: 'RETRACTED', retractedAt: now } as const;
    expect(judge([alert({ ...gone, retractionReason: 'UNFULFILLED' })], [intent])).toBe('PREVENTED');
    // An alert for which an action was signed is not retracted.
    expect(judge([alert({ meta: { ...alert().meta, unfulfilled: true } })], [intent])).toBe('PREVENTED');
    expect(judge([alert({ ...gone, retractionReason: 'REORGANISED' })])).toBe('RETRACTED');
  });
});

describe('the headline of an incident', () => {
  const headlineOf = (alerts: StoryAlert[], by: string[], status = 'UNRESOLVED') =>
    writeHeadline({
      losses: sumLosses(losing(...alerts)),
      progress: judgeProgress(status, alerts, losing(...alerts), [], now),
      contractName: () => 'Pool',
      by,
      transactions: 1,
      strongest: alerts[0]!,
    });

  it('says what was lost, by whom, and whether it goes on', () => {
    expect(headlineOf([alert()], ['Known exploiter'])).toBe(
      'Pool lost 400 DUSD (400 USD), 80 % of what it held, to Known exploiter; it may go on.',
    );
    expect(headlineOf([alert({ meta: {} })], [])).toBe('TVL drop; no loss is known, it may go on.');
    expect(headlineOf([alert({ meta: {}, severity: 'LOW' })], [])).toBe('TVL drop; no loss is known.');
    const tried = alert({ status: 'RETRACTED', retractedAt: now, retractionReason: 'UNFULFILLED' });
    expect(headlineOf([tried], ['0x15…6a65'])).toBe(
      '0x15…6a65 tried to take 400 DUSD (400 USD), 80 % of what it held, from Pool; nothing was lost, it did not take effect.',
    );
  });

  it('has nothing of a name that turns, marks or links', () => {
    const text = headlineOf(
      [alert({ meta: { ...alert().meta, symbol: '\u202E<b>[x](http://evil.com)' } })],
      ['\u202Eexe.gnp @all'],
    );
    expect(text).not.toMatch(/[\u202E<>@]|http:\/\//);
  });
});

describe('the timeline of an incident', () => {
  const rest = {
    losing: [],
    digests: new Map(),
    funding: [],
    attackers: new Set<string>(),
    deliveries: [],
    intents: [],
    changes: [],
    comments: [],
  };

  it('folds alerts of one transaction under the strongest, with those of its block that name none', () => {
    const alerts = [
      alert({ numericSeverity: 50 }),
      drain(),
      alert({ txHash: null }),
      alert({ blockNumber: 90, txHash: '0xdd', timestamp: now + 90_000 }),
    ];
    const folds = foldAlerts(alerts);
    expect(folds.map(({ strongest, folded }) => [strongest.uid, folded.length])).toEqual([
      [alerts[1]!.uid, 2],
      [alerts[3]!.uid, 0],
    ]);
    const { steps } = toTimeline({ ...rest, folds, alerts });
    expect(steps.map(({ wave }) => wave)).toEqual([1, 2]);
  });

  it('keeps losses and acts of people when it is too long', () => {
    const alerts = Array.from({ length: 400 }, (_, n) =>
      alert({ txHash: `0x${n}`, blockNumber: n, timestamp: now + n, numericSeverity: 10, severity: 'INFO' }),
    );
    const lossOf = alerts[399]!;
    const changes = [{ at: now + 500, verb: 'acknowledge', by: 'Alice', text: null }];
    const { steps, leftOut } = toTimeline({
      ...rest,
      folds: foldAlerts(alerts),
      alerts,
      losing: losing(lossOf),
      changes,
    });
    expect([steps.length, leftOut]).toEqual([200, 201]);
    expect(steps.at(-1)).toMatchObject({ type: 'ACKNOWLEDGEMENT', text: 'Alice' });
    expect(steps.at(-2)).toMatchObject({ isLoss: true, alert: { uid: lossOf.uid } });
  });
});

describe('the picture of the money', () => {
  const digest = {
    txHash: '0xaa',
    block: { number: 57, hash: '0xb57' },
    timestamp: now,
    from: thief,
    to: weapon,
    isReverted: false,
    isTraced: true,
    leftOut: 0,
    created: [],
    moves: [
      { from: pool, to: weapon, asset: token, amount: 400n * 10n ** 18n },
      { from: weapon, to: thief, asset: token, amount: 400n * 10n ** 18n },
      ...Array.from({ length: 100 }, (_, n) => ({
        from: pool,
        to: weapon,
        asset: `0xfa${n}`,
        amount: 10n ** 40n,
      })),
    ],
  };

  it('shows the assets that matter, and whose side each party is on; tokens that anyone made are left out', () => {
    const found = losing(drain());
    const { side, accounts } = findAttackers(
      [found[0]!.alert],
      found,
      new Map([['0xaa', digest]]),
      (a) => a === pool,
    );
    expect(accounts).toEqual([thief]);
    const { losses, usd } = sumLosses(found);
    const { nodes, edges } = drawFlows({
      digests: [digest],
      reported: [],
      losses,
      usd,
      contracts,
      parties: new Map(),
      attackers: side,
      assets: new Set([token]),
      tokens: new Map([[token, { symbol: 'DUSD', decimals: 18, isFungible: true }]]),
    });
    expect(edges).toMatchObject([
      { from: pool, to: weapon, amount: '400', symbol: 'DUSD', usd: 390, share: 1, isReported: false },
      { from: weapon, to: thief, amount: '400' },
    ]);
    expect(nodes.map(({ address, side: of, net }) => [address, of, net[0]?.amount])).toEqual([
      [pool, 'OURS', '-400'],
      [weapon, 'ATTACKER', undefined],
      [thief, 'ATTACKER', '400'],
    ]);
  });

  it('shows what evidence says where no node has shown it', () => {
    const found = losing(alert(), drain());
    const { edges } = drawFlows({
      digests: [],
      reported: found,
      losses: sumLosses(found).losses,
      usd: null,
      contracts,
      parties: new Map(),
      attackers: new Set([weapon]),
      assets: new Set(),
      tokens: new Map(),
    });
    expect(edges).toMatchObject([{ from: pool, amount: '400', symbol: 'DUSD', isReported: true }]);
  });
});
