import { Type } from 'typebox';
import { evmFormat } from '../../../chains/evm/abi/formats.ts';
import { fireAts } from '../../../model/action.ts';
import { finishAction, prepareAction } from '../../../services/actions/prepareAction.ts';
import { actionTable } from '../../../store/actions/actionTable.ts';
import { contractTable } from '../../../store/contracts/contractTable.ts';
import { walletTable } from '../../../store/wallets/walletTable.ts';
import { bindings, detail, fixed, given, output } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, JsonObject, List, Name, OneOf, Shape, Text } from '../../http/schema.ts';
import { boundDestinationWithoutType } from '../destinations/destination.ts';
import { bindingId, destinationBinding, scriptFilter, scriptParams } from '../records/bindingItems.ts';
import { idField, timeFields } from '../records/common.ts';

const detectorId = Id('The detector whose alerts fire the action.');
const triggerAlertId = Id('The trigger alert that fires the action.');

export const action = defineResource({
  path: '/action',
  tag: 'Actions',
  noun: 'action',
  about: 'A call of a function on a contract, signed by a wallet and fired by alerts.',
  table: actionTable,
  owner: { member: 'contractId', table: contractTable, use: 'write' },
  limit: 'maxActions',
  fields: {
    id: idField,
    ...timeFields,
    walletId: given(Id('Wallet that signs the call; on the chain of the contract.'), {
      required: true,
      references: walletTable,
    }),
    contractId: fixed(Id('The contract to call.'), { required: true }),
    name: given(Name('What to call it.', 'Pause the vault'), { required: true }),
    funcSignature: given(
      Text('Signature of the function to call.', 'freeze(address to)', { min: 1, max: 1000 }),
      {
        required: true,
      },
    ),
    params: given(
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
    funcAbi: output(
      JsonObject('ABI of the function.', {
        type: 'function',
        name: 'freeze',
        inputs: [{ type: 'address', name: 'to' }],
        outputs: [],
        stateMutability: 'nonpayable',
      }),
      {
        always: true,
      },
    ),
    gasPrice: given(
      Text('market, slow, fast, fastest, or a price in gwei.', 'market', {
        max: 30,
        format: evmFormat.gasPrice,
      }),
      { default: 'market' },
    ),
    gasLimit: given(
      Type.Integer({
        description: 'Gas limit; estimated if null.',
        minimum: 21_000,
        maximum: 1_000_000_000,
        examples: [200_000],
      }),
    ),
    gasTip: given(
      Text('Tip in gwei; estimated if empty or null.', '2', { max: 100, format: evmFormat.gasTip }),
    ),
    description: given(Text('What the action is for.', 'Stops withdrawals.', { max: 10_000 })),
    destinations: given(
      bindings(
        'Destinations told of what the action does.',
        destinationBinding,
        { ...bindingId, tenantDestination: boundDestinationWithoutType },
        ['tenantDestinationId'],
      ),
      { default: [] },
    ),
    detectors: given(
      bindings(
        'Detectors whose alerts fire the action.',
        { scriptFilter, scriptParams, detectorId },
        { ...bindingId, scriptFilter, scriptParams, detectorId },
        ['detectorId'],
      ),
      { default: [] },
    ),
    triggerAlerts: given(
      bindings(
        'Trigger alerts that fire the action.',
        { scriptFilter, scriptParams, triggerAlertId },
        { ...bindingId, scriptFilter, scriptParams, triggerAlertId },
        ['triggerAlertId'],
      ),
      { default: [] },
    ),
    fireAt: detail(
      OneOf(
        fireAts,
        'When an alert fires it: as soon as it is raised, or when its block has the confirmations of the chain.',
        'confirmed',
      ),
      { default: 'confirmed' },
    ),
    maxAlertAge: detail(
      Type.Integer({
        description:
          'How old an alert may be when it is raised to fire the action, in milliseconds; an hour if left out, any age if null. An older one, found while Vigil catches up, notifies but leaves a skipped intent.',
        minimum: 1000,
        maximum: 31_536_000_000,
        examples: [3_600_000],
      }),
    ),
  },
  prepare: prepareAction,
  finish: finishAction,
});
