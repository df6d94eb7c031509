import { interceptorTypes } from '../../model/enumerations.ts';
import { JsonObject, List, Name, OneOf, Shape, Text, Words } from '../../model/schema.ts';
import { idField, searchedStatus, timeFields } from './commonFields.ts';
import { readOnly } from './fields.ts';
import { administrators, defineTable, everyone } from './table.ts';

const example = {
  description: Text('What it is for.', 'Calls of withdraw.'),
  params: JsonObject('Parameters of the condition.', { signature: 'withdraw(uint256 amount)' }),
};

/** The catalogue of triggers. Vigil writes it at its start, from the triggers that it has. */
export const triggerSchemaTable = defineTable({
  kind: 'trigger/schema',
  name: 'trigger_schema',
  fields: {
    id: idField,
    ...timeFields,
    name: readOnly(Text('The `triggerType` by which a trigger is created.', 'FUNCTION_CALL'), {
      notNull: true,
    }),
    title: readOnly(Name('Title for people.', 'Function called'), { notNull: true }),
    description: readOnly(Text('What it looks for.', 'A transaction calls a function of the contract.'), {
      notNull: true,
    }),
    interceptorType: readOnly(OneOf(interceptorTypes, 'What feeds it.', 'TRANSACTION'), { notNull: true }),
    networkTags: readOnly(Words('Chain families that it works on.', ['evm']), { notNull: true }),
    paramsSchema: readOnly(JsonObject('JSON Schema of its `params`.', { type: 'object' }), { notNull: true }),
    metaMembers: readOnly(Words('Members that the `meta` of its alerts may have.', ['from', 'args']), {
      notNull: true,
    }),
    examples: readOnly(List(Shape(example, Object.keys(example)), 'Parameters to start from.'), {
      notNull: true,
    }),
  },
  searched: searchedStatus,
  visible: everyone,
  writable: administrators,
});
