import { checkAllowedCalls } from '../../actions/checkAllowedCalls.ts';
import { parameterNames } from '../../actions/fillCall.ts';
import { hasBounds } from '../../actions/openParameters.ts';
import { type Chain, getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import type { FamilyActions, FunctionItem } from '../../chains/familyActions.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import type { OpenParameter } from '../../model/action.ts';
import { type Fault, invalid, unprocessable } from '../../model/errors.ts';
import type { Scope } from '../../model/principal.ts';
import { invalidInput } from '../../model/validate.ts';
import { resetScriptTimeouts } from '../../store/actions/scriptTimeouts.ts';
import { findContractAbi } from '../../store/contracts/findContractAbi.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import type { actionTable } from '../../store/tables/actionTable.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import { walletTable } from '../../store/tables/walletTable.ts';
import { findAllowedCalls } from '../../store/wallets/walletKeys.ts';
import type { Call } from '../call.ts';
import { checkBindingFilters } from '../destinations/checkBindingFilters.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';
import { bindingScripts, scriptFaults } from '../records/scriptFaults.ts';
import { changedBindings } from './changedBindings.ts';
import { checkBindingScripts } from './checkBindingScripts.ts';
import { findClosedParameters, findMissingParameters, throwFaults } from './missingParameters.ts';

type Parameter = { name: string; value: string };
type ActionChange = ChangeOf<typeof actionTable>;

/** Refuses now what could only fail when an alert fires it. */
export async function prepareAction(call: Call, change: ActionChange): Promise<Row> {
  const { input, current } = change;
  await checkBindingFilters(call, change.tenantId, 'action_destination', input.destinations, '/destinations');
  if (input.walletId !== undefined) await checkChains(call, change);
  const { rules, chain, abi } = await findRules(call, change);
  const read = (signature: string) => toFunctionAbi(rules, signature, abi);
  const written = input.funcSignature === undefined ? undefined : read(input.funcSignature);
  const action = {
    rules,
    chain,
    funcAbi: change.current ? (written ?? change.current.funcAbi) : read(change.input.funcSignature),
    params: input.params ?? current?.params ?? [],
    openParams: input.openParams ?? current?.openParams ?? [],
  };
  const faults = [
    ...parameterFaults(action),
    ...openFaults(action),
    ...termFaults(rules, change),
    ...bindingFaults(action, change, 'detectors'),
    ...bindingFaults(action, change, 'triggerAlerts'),
    ...(await scriptFaults(call, [
      ...bindingScripts(input.detectors, '/detectors'),
      ...bindingScripts(input.triggerAlerts, '/triggerAlerts'),
    ])),
  ];
  if (faults.length > 0) throw invalidInput(faults);
  await checkOpen(call, change, action);
  await checkScripts(call, change, action);
  if (input.walletId != null || written) await checkAllowed(call, change, action.funcAbi);
  if (input.gasPrice != null || input.gasTip) await warnAboutPrice(call, change);
  if (input.funcSignature != null || input.params || input.detectors || input.triggerAlerts)
    throwFaults(
      (['detectors', 'triggerAlerts'] as const).flatMap((member) =>
        findMissingParameters(
          () => action,
          input[member] ?? current?.[member] ?? [],
          current?.[member],
          member,
        ),
      ),
    );
  return { ...input, ...(written ? { funcAbi: written } : {}) };
}

const filling = ['walletId', 'funcSignature', 'params', 'openParams', 'detectors', 'triggerAlerts'] as const;

/** On a wallet that asks for approvals, scripts fill what the action leaves open, and nothing else. */
async function checkOpen(call: Call, change: ActionChange, callable: Callable): Promise<void> {
  const { input, current } = change;
  if (filling.every((name) => input[name] === undefined)) return;
  const { walletId } = change.current ? { ...change.current, ...change.input } : change.input;
  const wallet = await findRecord(call.db, walletTable, scopeOf(tenantOf(change)), walletId, scriptedWallet);
  if (!wallet) return;
  throwFaults(
    (['detectors', 'triggerAlerts'] as const).flatMap((member) => {
      const stored = new Map(current?.[member].map((item) => [item.id, item]));
      const items: readonly { id?: number; scriptParams?: Record<string, string> }[] =
        input[member] ?? current?.[member] ?? [];
      return items.flatMap(({ id, scriptParams }, index) => {
        const scripts = scriptParams ?? stored.get(id)?.scriptParams ?? {};
        return findClosedParameters({ ...callable, wallet }, scripts, `/${member}/${index}`);
      });
    }),
  );
}

/** Scripts must fit the alerts of what fires them. */
async function checkScripts(call: Call, change: ActionChange, callable: Callable): Promise<void> {
  const { input, current } = change;
  const detectors = changedBindings(input.detectors, current?.detectors, '/detectors');
  const triggerAlerts = changedBindings(input.triggerAlerts, current?.triggerAlerts, '/triggerAlerts');
  if (detectors.length + triggerAlerts.length === 0) return;
  const tenantId = tenantOf(change);
  const members = change.current ? { ...change.current, ...change.input } : change.input;
  const scope = scopeOf(tenantId);
  const contract = await findRecord(call.db, contractTable, scope, members.contractId, scriptedContract);
  const wallet = await findRecord(call.db, walletTable, scope, members.walletId, scriptedWallet);
  if (!contract || !wallet) return;
  const { name, description = null, funcSignature, gasPrice, gasLimit = null, gasTip = null } = members;
  const action = {
    funcAbi: callable.funcAbi,
    id: change.id ?? 0,
    name,
    description,
    funcSignature,
    gasPrice: gasPrice ?? 'market',
    gasLimit,
    gasTip,
    params: [...callable.params],
    openParams: [...callable.openParams],
    contract,
    wallet,
  };
  await checkBindingScripts(call, tenantId, [
    ...detectors.map((binding) => ({
      ...binding,
      action,
      source: { kind: 'detector' as const, id: binding.item.detectorId },
    })),
    ...triggerAlerts.map((binding) => ({
      ...binding,
      action,
      source: { kind: 'trigger' as const, id: binding.item.triggerAlertId },
    })),
  ]);
}

const scriptedContract = ['id', 'projectId', 'address', 'name', 'chainUid'] as const;
const scriptedWallet = ['id', 'name', 'chainUid', 'address', 'requireApproval'] as const;

/** An action stopped because of its scripts may run again. */
export async function finishAction(call: Call, change: ActionChange, id: number): Promise<void> {
  if (change.current) await resetScriptTimeouts(call.db, { tenantId: tenantOf(change), actionId: id });
}

type Callable = {
  rules: FamilyActions;
  chain: Chain;
  funcAbi: FunctionItem;
  params: readonly Parameter[];
  openParams: readonly OpenParameter[];
};

/** Bounds that mean nothing for their parameter, or are none. */
function openFaults({ rules, chain, funcAbi, params, openParams }: Callable): Fault[] {
  const names = parameterNames({ funcAbi, params });
  return openParams.flatMap((open, index): Fault[] => {
    const { name, values = [], min, max } = open;
    const fault = (member: string, message: string) => [
      { pointer: `/openParams/${index}${member}`, code: 'parameter', message },
    ];
    const input = funcAbi.inputs[names.indexOf(name)];
    if (!input)
      return fault('/name', `is no parameter of the function; it has ${names.join(', ') || 'none'}.`);
    if (openParams.findIndex((parameter) => parameter.name === name) < index)
      return fault('/name', 'is given twice.');
    if (!hasBounds(open)) return fault('', 'must state bounds: `values`, `min` or `max`; or `any`: true.');
    if (min !== undefined && max !== undefined && BigInt(min) > BigInt(max))
      return fault('/max', 'must not be below `min`.');
    const bounds = [
      ...values.map((value, index) => ({ member: `/values/${index}`, value })),
      { member: '/min', value: min },
      { member: '/max', value: max },
    ];
    return bounds.flatMap(({ member, value }) => {
      try {
        if (value !== undefined) rules.readValue(input, value, name, chain);
        return [];
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return fault(member, error.message);
      }
    });
  });
}

/** Parameters that the function does not have, or that its types do not take. */
function parameterFaults({ rules, chain, funcAbi, params }: Callable): Fault[] {
  const names = parameterNames({ funcAbi, params });
  return params.flatMap(({ name, value }, index): Fault[] => {
    const input = funcAbi.inputs[names.indexOf(name)];
    if (!input || params.findIndex((parameter) => parameter.name === name) < index) {
      const has = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
      const message = input === undefined ? `is no parameter of the function; ${has}.` : 'is given twice.';
      return [{ pointer: `/params/${index}/name`, code: 'parameter', message }];
    }
    try {
      rules.readValue(input, value, name, chain);
      return [];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [{ pointer: `/params/${index}/value`, code: 'parameter', message: error.message }];
    }
  });
}

/**
 * A script for a parameter that the function does not have is a misspelt one when another has no value, and otherwise does
 * no harm.
 */
function bindingFaults(
  action: Callable,
  { input, current }: ActionChange,
  member: 'detectors' | 'triggerAlerts',
): Fault[] {
  const items = input[member] ?? current?.[member] ?? [];
  const names = parameterNames(action);
  return items.flatMap((item, index) => {
    const scripted = Object.keys(item.scriptParams ?? {});
    const supplied = new Set([...scripted, ...action.params.map(({ name }) => name)]);
    if (names.every((name) => supplied.has(name))) return [];
    return scripted
      .filter((name) => !names.includes(name))
      .map((name) => ({
        pointer: `/${member}/${index}/scriptParams/${name}`,
        code: 'parameter',
        message: `is no parameter of the function; it has ${names.join(', ')}.`,
      }));
  });
}

const calledMembers = ['chainUid', 'address', 'name'] as const;

/** Refuses calls that the wallet may not make; firing checks again. */
async function checkAllowed(call: Call, change: ActionChange, funcAbi: FunctionItem): Promise<void> {
  const { contractId, walletId } = change.current ? { ...change.current, ...change.input } : change.input;
  const tenantId = tenantOf(change);
  const contract = await findRecord(call.db, contractTable, scopeOf(tenantId), contractId, calledMembers);
  const allowedCalls = await findAllowedCalls(call.db, { tenantId, walletId });
  const refused = contract && checkAllowedCalls({ funcAbi, contract, wallet: { allowedCalls } });
  // A new wallet may call nothing yet: its actions are prepared first, and what they call is allowed then.
  if (refused && allowedCalls?.length === 0)
    call.warnings.push(`${refused.reason} The action does not fire until they do.`);
  else if (refused) throw unprocessable(`/${refused.member}`, 'not-allowed', refused.reason);
}

const feesTimeoutMs = 1000;

/** A price far above the market is refused when the action is fired; the market may be another one by then. */
async function warnAboutPrice(call: Call, change: ActionChange): Promise<void> {
  const {
    contractId,
    gasPrice,
    gasTip = null,
  } = change.current ? { ...change.current, ...change.input } : change.input;
  const scope = scopeOf(tenantOf(change));
  const contract = await findRecord(call.db, contractTable, scope, contractId, chainOnly);
  const transactor = contract && call.services.chains.client(contract.chainUid)?.transactor;
  if (!transactor || !/\d/.test(`${gasPrice ?? ''}${gasTip ?? ''}`)) return;
  const terms = { price: gasPrice ?? 'market', limit: null, tip: gasTip, maxPrice: null };
  // A chain that does not respond now is no fault of the action.
  const checking = transactor.checkTerms(terms).catch(() => undefined);
  const warning = await settleWithin(feesTimeoutMs, checking, () => undefined);
  if (warning) call.warnings.push(`${warning} As it is, the action does not fire.`);
}

const chainOnly = ['chainUid'] as const;

/** A wallet can only sign for its own chain. */
async function checkChains(call: Call, change: ActionChange): Promise<void> {
  const { contractId, walletId } = change.current ? { ...change.current, ...change.input } : change.input;
  const scope = scopeOf(tenantOf(change));
  const wallet = await findRecord(call.db, walletTable, scope, walletId, chainOnly);
  const contract = await findRecord(call.db, contractTable, scope, contractId, chainOnly);
  if (wallet?.chainUid === contract?.chainUid) return;
  throw unprocessable(
    '/walletId',
    'other-chain',
    `The wallet is on ${String(wallet?.chainUid)} and the contract on ${String(contract?.chainUid)}; they must be on the same chain.`,
  );
}

function scopeOf(tenantId: number): Scope {
  return { all: false, tenantIds: [tenantId], organisationIds: [] };
}

/** The notation for calls of the action's contract. */
async function findRules(
  call: Call,
  change: ActionChange,
): Promise<{ rules: FamilyActions; chain: Chain; abi: readonly unknown[] }> {
  const { contractId } = change.current ?? change.input;
  const tenantId = tenantOf(change);
  const contract = await findRecord(call.db, contractTable, scopeOf(tenantId), contractId, chainOnly);
  // Faults of the contract itself are found with the other references.
  const chain = getChain(contract?.chainUid ?? 'ethereum');
  const rules = families[chain.family].actions;
  if (!rules) throw unprocessable('/contractId', 'family', `Vigil cannot fire actions on ${chain.name} yet.`);
  return { rules, chain, abi: contract ? await findContractAbi(call.db, tenantId, contractId) : [] };
}

/** Fee settings of the action must mean something on its chain. */
function termFaults({ termsFault }: FamilyActions, { input, current }: ActionChange): Fault[] {
  const price = input.gasPrice ?? current?.gasPrice ?? 'market';
  const limit = input.gasLimit === undefined ? (current?.gasLimit ?? null) : input.gasLimit;
  const tip = (input.gasTip === undefined ? current?.gasTip : input.gasTip) || null;
  const fault = termsFault?.({ price, limit, tip });
  if (!fault) return [];
  const member = { price: 'gasPrice', limit: 'gasLimit', tip: 'gasTip' }[fault.member];
  return [{ pointer: `/${member}`, code: 'fee', message: fault.reason }];
}

/** `pause()`, `transfer(address to, uint256 amount)` or the same behind the word `function`. */
function toFunctionAbi(rules: FamilyActions, signature: string, abi: readonly unknown[]): FunctionItem {
  try {
    return rules.parseFunction(signature, abi);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalid('/funcSignature', 'signature', `must be a function signature: ${error.message}`);
  }
}
