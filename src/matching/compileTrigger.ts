import { fillTemplate } from '../lib/template.ts';
import { type Finding, isSevere, type Severity, severityOf, toSeverity } from '../model/alert.ts';
import type { ChainFacts, ContractFacts } from '../model/detection.ts';
import { triggerTypes } from '../model/enumerations.ts';
import type { Fault } from '../model/errors.ts';
import { mapAddresses } from '../model/mapAddresses.ts';
import { withDefaults } from '../model/validate.ts';
import { triggers } from '../triggers/triggers.ts';
import { nameParties } from './nameParties.ts';
import { originOf } from './originOf.ts';
import { canonicalContract, showAddresses } from './showAddresses.ts';
import { showMembers } from './showMembers.ts';
import { describeFirst, otherFamily, type Subscriber, toCause, toMeta, toStateKey } from './subscriber.ts';
import { templateValues } from './templateValues.ts';

/** A trigger as it is stored. */
export type TriggerRow = {
  readonly id: number;
  readonly name: string;
  readonly triggerType: string;
  readonly tags: readonly string[];
  readonly params: unknown;
  readonly alerts: readonly TriggerAlert[];
};

type TriggerAlert = {
  readonly id: number;
  readonly severity: Severity;
  readonly name: string;
  readonly message: string | null;
};

/** Turns a stored trigger into a subscriber; the fault says why it cannot run. */
export function compileTrigger(
  row: TriggerRow,
  stored: ContractFacts,
  chain: ChainFacts,
): Subscriber | { fault: string } {
  const definition = triggers.get(row.triggerType);
  if (!definition) return { fault: `There is no trigger ${row.triggerType} in this version of Vigil.` };
  if (!definition.families.includes(chain.family)) return { fault: otherFamily(row.triggerType, chain) };
  const checked = withDefaults(definition.params, row.params);
  if ('faults' in checked) return toFault(checked.faults);
  const contract = canonicalContract(stored, chain);
  const config = mapAddresses(definition.params, checked.value, chain.canonical);
  const faults = definition.check?.(config, contract.abi, chain.family) ?? [];
  if (faults.length > 0) return toFault(faults);
  const self = { kind: 'trigger', id: row.id, contract } as const;
  // A trigger without alerts of its own raises a default one.
  const alerts: readonly TriggerAlert[] =
    row.alerts.length > 0 ? row.alerts : [{ id: 0, severity: 'MEDIUM', name: row.name, message: null }];
  const severity = toSeverity(
    Math.max(...alerts.map(({ severity: alertSeverity }) => severityOf[alertSeverity])),
  );
  return {
    ...self,
    name: row.name,
    interests: definition.interests(config, contract, chain),
    isSevere: isSevere(severity),
    severity,
    takesBaseline: definition.takesBaseline === true,
    cooldownMs: 0,
    stateKey: () => toStateKey([row.triggerType, contract.address, checked.value]),
    evaluate: (observation, state, read) =>
      nameParties(
        showMembers(
          definition.evaluate(observation, { config, contract, chain, state, read }),
          alerts.map(({ message }) => message),
          observation,
          { contract, chain, read },
        ),
        observation,
        contract,
        read,
      ),
    toFindings(detection, observation) {
      const origin = originOf(self, observation, detection);
      const findings = alerts.map(({ id, severity, name, message }): Finding => {
        const alert = { ...origin, severity, name, tags: row.tags };
        const text = message
          ? fillTemplate(
              message,
              { ...alert, ...templateValues(detection.fields, config) },
              ({ text: written }) => detection.shown?.[written],
            )
          : detection.message;
        return {
          ...alert,
          key: `${origin.key} ${id}`,
          ...(origin.place !== undefined && { place: `${origin.place} ${id}` }),
          kind: 'trigger',
          group: 'trigger',
          message: text,
          // The alerts of one trigger have one cause.
          cause: toCause(self, detection.message),
          meta: toMeta({ ...detection.fields, ...(id === 0 ? {} : { triggerAlertId: id }) }),
          triggerId: row.id,
          triggerType: row.triggerType,
          interceptorType: triggerTypes[definition.type],
        };
      });
      return showAddresses(findings, chain);
    },
  };
}

function toFault(faults: readonly Fault[]): { fault: string } {
  return { fault: `Its parameters are not valid: ${describeFirst(faults)}` };
}
