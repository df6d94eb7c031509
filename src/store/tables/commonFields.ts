import { statuses } from '../../model/enumerations.ts';
import { Id, Millis, OneOf, Text, TextMap } from '../../model/schema.ts';
import { editable, readOnly } from './fields.ts';

export const idField = readOnly(Id('Unique identifier of the record.'), { notNull: true });
export const timeFields = {
  createdAt: readOnly(Millis('When the record was created.'), { notNull: true }),
  updatedAt: readOnly(Millis('When the record last changed.'), { notNull: true }),
};
/** Records are deleted by DELETE; ACTIVE and DISABLED can be set. */
export const statusField = editable(OneOf(statuses, 'State of the record.', 'ACTIVE'), { default: 'ACTIVE' });

export const tenantId = Id('The owning tenant; your own if left out.');

/** Columns of records that do not show them. */
export const searchedTenant = { tenantId: { type: 'integer' } } as const;
export const searchedStatus = { status: { type: 'string' } } as const;

/** Members of every item of a binding. */
export const bindingFields = {
  id: editable(Id('The binding; leave it out to add one.'), { notNull: true }),
  ...timeFields,
};
/** The state of an item, which Vigil sets. */
export const bindingStatus = readOnly(statusField.schema, { notNull: true });

export const scriptFields = {
  scriptFilter: editable(
    Text(
      'Expression over the alert `e` and the action `a` that decides whether the action fires; always if null.',
      'e.numericSeverity >= 70',
      { max: 10_000 },
    ),
  ),
  scriptParams: editable(
    TextMap('Function parameter name to the expression that yields its value.', { to: 'e.meta.from' }),
    { notNull: true },
  ),
};
