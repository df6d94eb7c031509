import { detectorSources } from '../../../model/enumerations.ts';
import { finishDetector, prepareDetector } from '../../../services/detectors/prepareDetector.ts';
import { contractTable } from '../../../store/contracts/contractTable.ts';
import { detectorSchemaTable } from '../../../store/detectors/detectorSchemaTable.ts';
import { detectorTable } from '../../../store/detectors/detectorTable.ts';
import { bindings, fixed, given, hidden, output } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, JsonObject, Name, OneOf, Words } from '../../http/schema.ts';
import { boundDestinationSchema } from '../destinations/destination.ts';
import { bindingId, destinationBinding, scriptFilter, scriptParams } from '../records/bindingItems.ts';
import { idField, nestedStatus, statusField, timeFields } from '../records/common.ts';
import { nestedSchema } from './detectorSchema.ts';

export const detector = defineResource({
  path: '/detector',
  tag: 'Detectors',
  noun: 'detector',
  about: 'A detector watches a contract and raises alerts.',
  table: detectorTable,
  owner: { member: 'contractId', table: contractTable, use: 'write' },
  limit: 'maxDetectors',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    schema: output(nestedSchema, { always: true }),
    schemaId: hidden(Id('The detector schema.'), { required: true, references: detectorSchemaTable }),
    contractId: fixed(Id('The contract that is watched.'), { required: true }),
    name: given(Name('What to call it.', 'Owner watch'), { required: true }),
    source: given(OneOf(detectorSources, 'Where its findings come from.', 'PLATFORM'), {
      default: 'PLATFORM',
    }),
    tags: given(Words('Free labels.', ['critical']), { default: [] }),
    config: given(JsonObject('Detector configuration.', { allowedOwners: [] }), { default: {} }),
    destinations: given(
      bindings(
        'Destinations that its alerts are sent to.',
        destinationBinding,
        { ...bindingId, ...nestedStatus, tenantDestination: boundDestinationSchema },
        ['tenantDestinationId'],
      ),
      { default: [] },
    ),
    actions: given(
      bindings(
        'Actions that its alerts fire.',
        { scriptFilter, scriptParams, actionId: Id('The action to fire.') },
        { ...bindingId, ...nestedStatus, scriptFilter, scriptParams, actionId: Id('The action to fire.') },
        ['actionId'],
      ),
      { default: [] },
    ),
  },
  prepare: prepareDetector,
  finish: finishDetector,
});
