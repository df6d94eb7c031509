import type { Escalationchain } from '../../../../sdk/src/index.ts';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { updatedColumn } from '../../parts/recordColumns.tsx';
import type { Schema } from '../../state/schemas.ts';
import { PageTabs } from '../PageTabs.tsx';
import { PersonSelect } from './PeopleInput.tsx';

const chains: RecordKind<Escalationchain> = {
  path: '/escalationchain',
  singular: 'chain',
  plural: 'Escalation chains',
  about:
    'A chain calls one person after the other until someone acknowledges or resolves the incident. Call people from the page of an incident.',
  isOfTenant: true,
  searched: ['name'],
  limit: 'maxEscalationChains',
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => name },
    { name: 'steps', title: 'Steps', width: '80px', show: ({ steps }) => steps.length },
    updatedColumn,
  ],
  form: {
    needsTenant: true,
    order: ['name', 'steps', 'repeat', 'description'],
    labels: {
      userId: 'Call a user',
      scheduleId: 'or who is on call by a schedule',
      destinationId: 'or a destination',
      waitMinutes: 'Minutes to wait for an answer',
      repeat: 'Further rounds',
    },
    defaults: { steps: [{ waitMinutes: 5 }], repeat: 2 },
    shape: shapeChain,
    widgets: { userId: (props) => <PersonSelect {...props} /> },
  },
};

function shapeChain(schema: Schema): Schema {
  const { steps } = schema.properties ?? {};
  if (!steps) return schema;
  const order = ['scheduleId', 'userId', 'destinationId', 'waitMinutes'];
  return {
    ...schema,
    properties: {
      ...schema.properties,
      steps: { ...steps, 'x-add': 'Add a step', items: { ...steps.items, 'x-order': order } },
    },
  };
}

export default function ChainsPage() {
  return (
    <div class="page">
      <PageTabs of="Destinations and silences" />
      <RecordList kind={chains} heading="h1" />
    </div>
  );
}
