import { statuses } from '../../../model/enumerations.ts';
import { given, output } from '../../http/fields.ts';
import { Id, Millis, OneOf } from '../../http/schema.ts';

export const idField = output(Id('Unique identifier of the record.'), { always: true });
const createdAt = Millis('When the record was created.');
const updatedAt = Millis('When the record last changed.');
export const timeFields = {
  createdAt: output(createdAt, { always: true }),
  updatedAt: output(updatedAt, { always: true }),
};
const statusSchema = OneOf(statuses, 'State of the record.', 'ACTIVE');
/** Records are deleted by DELETE; ACTIVE and DISABLED can be set. */
export const statusField = given(statusSchema, { default: 'ACTIVE' });

/** Schemas of the common members inside nested records. */
export const nestedCommon = { id: Id('Unique identifier of the record.'), createdAt, updatedAt };
export const nestedStatus = { status: statusSchema };

export const tenantId = Id('The owning tenant; your own if left out.');
