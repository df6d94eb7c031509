import { useState } from 'preact/hooks';
import type { Action } from '../../../../sdk/src/index.ts';
import { alertNames, bindingsToForm, shapeBindings, withFilters } from '../../parts/bindings.ts';
import { formatWidgets, useSignatures } from '../../parts/formatWidgets.tsx';
import type { Fields } from '../../parts/RecordForm.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { updatedColumn } from '../../parts/recordColumns.tsx';
import { SuggestInput } from '../../parts/SuggestInput.tsx';
import type { Widgets } from '../../parts/schemaTypes.ts';
import { nameOf } from '../../state/names.ts';
import { PageTabs } from '../PageTabs.tsx';
import { ActionDetail } from './ActionDetail.tsx';
import { keepParameters, Parameters } from './Parameters.tsx';

/** Signed calls that alerts fire. */
export default function ActionsPage() {
  const [typed, setTyped] = useState<Fields>({});
  const writing = useSignatures(typed.contractId as number | undefined)?.writing ?? [];
  const widgets: Widgets = {
    ...formatWidgets(undefined, alertNames),
    funcSignature: (props) => <SuggestInput {...props} options={writing} isMono />,
    params: (props) => <Parameters {...props} signature={String(typed.funcSignature ?? '')} />,
  };
  return (
    <div class="page">
      <PageTabs of="Actions and wallets" />
      <RecordList kind={actionsWith(widgets, setTyped)} heading="h1" />
    </div>
  );
}

function actionsWith(widgets: Widgets, setTyped: (value: Fields) => void): RecordKind<Action> {
  return {
    path: '/action',
    singular: 'action',
    plural: 'Actions',
    about:
      'An action is a call that a wallet signs when an alert is raised, such as pausing a contract. You need a wallet and a contract with its ABI first.',
    searched: ['name'],
    limit: 'maxActions',
    columns: [
      { name: 'name', title: 'Name', show: ({ name }) => name },
      {
        name: 'call',
        title: 'Calls',
        wideOnly: true,
        show: ({ funcSignature }) => <code>{funcSignature}</code>,
      },
      {
        name: 'contract',
        title: 'Of',
        wideOnly: true,
        show: ({ contractId }) => nameOf('contract', contractId) ?? `#${contractId}`,
      },
      {
        name: 'wallet',
        title: 'Signed by',
        width: '150px',
        show: ({ walletId }) => nameOf('wallet', walletId) ?? `#${walletId}`,
      },
      {
        name: 'bound',
        title: 'Fired by',
        width: '120px',
        wideOnly: true,
        show: ({ detectors, triggerAlerts }) => {
          const count = detectors.length + triggerAlerts.length;
          return count === 0 ? (
            <span class="dim">hand only</span>
          ) : (
            `${count} binding${count === 1 ? '' : 's'}`
          );
        },
      },
      updatedColumn,
    ],
    complete: (action, signal) => withFilters('action', action, signal),
    toForm: ({ funcAbi: _abi, ...action }) => bindingsToForm(action),
    form: {
      order: [
        'contractId',
        'walletId',
        'funcSignature',
        'params',
        'name',
        'detectors',
        'triggerAlerts',
        'fireAt',
      ],
      hidden: ['funcAbi'],
      labels: {
        funcSignature: 'Function',
        params: 'Parameters',
        scriptFilter: 'Fires when',
        scriptParams: 'Parameters from the alert',
      },
      widgets,
      shape: shapeBindings,
      follow: keepParameters,
      onChange: setTyped,
    },
    detail: (action) => <ActionDetail action={action} onOpen={setTyped} />,
  };
}
