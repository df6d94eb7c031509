import type { AbiFunction } from 'abitype';
import { type Static, Type } from 'typebox';
import { fireAts } from '../../model/action.ts';
import { defineFormat } from '../../model/formats.ts';
import { Flag, Id, JsonObject, List, Name, OneOf, Shape, Text } from '../../model/schema.ts';
import {
  bindingFields,
  idField,
  scriptFields,
  searchedStatus,
  searchedTenant,
  timeFields,
} from './commonFields.ts';
import { boundDestination } from './destinationTable.ts';
import { bindings, createOnly, editable, readOnly } from './fields.ts';
import { byTenant, defineTable } from './table.ts';
import { priceUnits } from './walletTable.ts';

const gasPrice = defineFormat('gasPrice', {
  test: (text) => /^(market|slow|fast|fastest|\d{1,12}(\.\d{1,9})?)$/.test(text),
  words: 'must be market, slow, fast, fastest, or a price per unit such as "12.5"',
});
const gasTip = defineFormat('gasTip', {
  test: (text) => /^(\d{1,12}(\.\d{1,9})?)?$/.test(text),
  words: 'must be a tip per unit such as "2.5", or empty to have it estimated',
});

const wholeNumber = { max: 81, pattern: '^-?[0-9]{1,80}$' };
const openParam = Shape(
  {
    name: Text('Name of the parameter.', 'to', { max: 200 }),
    values: List(
      Text('A value.', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', { max: 10_000 }),
      'The values that it may have.',
      { maxItems: 100 },
    ),
    min: Text('The least that it may be, of a whole number.', '0', wholeNumber),
    max: Text('The most that it may be, of a whole number.', '1000000', wholeNumber),
    any: Flag('True where it may have any value.'),
  },
  ['name'],
);
const openParams = Type.Unsafe<Static<typeof openParam>[]>({
  ...List(
    openParam,
    'What the scripts of bindings may fill where the wallet asks for approvals, each with `values`, `min` and ' +
      '`max`, or `any`. All other parameters are as `params` gives them.',
    { maxItems: 100 },
  ),
  examples: [[{ name: 'to', any: true }]],
});

/** Records that an action binds to, with only the members that show the tenant. */
const detectorReference = defineTable({
  kind: 'detector',
  name: 'detector',
  fields: { id: idField },
  searched: searchedTenant,
  visible: byTenant,
  writable: byTenant,
});
const triggerAlertReference = { ...detectorReference, kind: 'trigger alert', name: 'trigger_alert' };

export const actionTable = defineTable({
  kind: 'action',
  name: 'action',
  fields: {
    id: idField,
    ...timeFields,
    walletId: editable(Id('Wallet that signs the call; on the chain of the contract.'), {
      required: true,
    }),
    contractId: createOnly(Id('The contract to call.'), { required: true }),
    name: editable(Name('What to call it.', 'Pause the vault'), { required: true }),
    funcSignature: editable(
      Text('Signature of the function to call.', 'freeze(address to)', { min: 1, max: 1000 }),
      {
        required: true,
      },
    ),
    params: editable(
      List(
        Shape(
          {
            name: Text('Name of the parameter.', 'to', { max: 200 }),
            value: Text('Its value.', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', { max: 100_000 }),
          },
          ['name', 'value'],
        ),
        'Call parameters.',
        { maxItems: 100 },
      ),
      { default: [] },
    ),
    funcAbi: readOnly(
      Type.Unsafe<AbiFunction>(
        JsonObject('ABI of the function.', {
          type: 'function',
          name: 'freeze',
          inputs: [{ type: 'address', name: 'to' }],
          outputs: [],
          stateMutability: 'nonpayable',
        }),
      ),
      { notNull: true },
    ),
    gasPrice: editable(
      Text(`market, slow, fast, fastest, or a price: ${priceUnits}.`, 'market', {
        max: 30,
        format: gasPrice,
      }),
      { default: 'market' },
    ),
    gasLimit: editable(
      Type.Integer({
        description: 'Most gas, energy or compute units that the call may use; estimated if null.',
        minimum: 21_000,
        maximum: 1_000_000_000,
        examples: [200_000],
      }),
    ),
    gasTip: editable(
      Text('Tip in gwei, where the chain has tips; estimated if empty or null.', '2', {
        max: 100,
        format: gasTip,
      }),
    ),
    description: editable(Text('What the action is for.', 'Stops withdrawals.', { max: 10_000 })),
    destinations: bindings(
      'Destinations notified of what the action does.',
      { table: 'action_destination', parent: 'action_id' },
      { ...bindingFields, ...boundDestination('without type') },
      { default: [] },
    ),
    detectors: bindings(
      'Detectors whose alerts fire the action.',
      { table: 'action_detector', parent: 'action_id' },
      {
        ...bindingFields,
        ...scriptFields,
        detectorId: editable(Id('The detector whose alerts fire the action.'), {
          required: true,
          references: () => detectorReference,
        }),
      },
      { default: [] },
    ),
    triggerAlerts: bindings(
      'Trigger alerts that fire the action.',
      { table: 'action_trigger_alert', parent: 'action_id' },
      {
        ...bindingFields,
        ...scriptFields,
        triggerAlertId: editable(Id('The trigger alert that fires the action.'), {
          required: true,
          references: () => triggerAlertReference,
        }),
      },
      { default: [] },
    ),
    fireAt: editable(
      OneOf(
        fireAts,
        'When an alert fires it: while its transaction is pending, priced to be mined before it; as soon as a ' +
          'block has it; or when that block has the confirmations of the chain.',
        'confirmed',
      ),
      { default: 'confirmed', detail: true },
    ),
    maxAlertAge: editable(
      Type.Integer({
        description:
          'How old an alert may be when it is raised to fire the action, in milliseconds; an hour if left ' +
          'out, any age if null. An older one, found while Vigil catches up, notifies but leaves a skipped ' +
          'intent.',
        minimum: 1000,
        maximum: 31_536_000_000,
        examples: [3_600_000],
      }),
      { detail: true },
    ),
    urgent: editable(
      Flag(
        'Whether its calls go before the others of the tenant, in a lane of their own. Null: those fired by alerts ' +
          'of severity HIGH or CRITICAL, while a transaction is pending, or by hand.',
      ),
      { detail: true },
    ),
    openParams: editable(openParams, { default: [], detail: true }),
  },
  searched: { ...searchedTenant, ...searchedStatus },
  visible: byTenant,
  writable: byTenant,
  unbinds: [
    { table: 'action_destination', column: 'action_id' },
    { table: 'action_detector', column: 'action_id' },
    { table: 'action_trigger_alert', column: 'action_id' },
  ],
});
