import { useRef, useState } from 'preact/hooks';
import type { Contract } from '../../../../sdk/src/index.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { FormFaults } from '../../parts/FormFaults.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { RecordSelect } from '../../parts/RecordSelect.tsx';
import { TenantInput } from '../../parts/TenantInput.tsx';
import { client, faultsOf } from '../../state/api.ts';
import { guessFamilies } from '../../state/guessFamily.ts';
import { type Chain, chains, loadChains } from '../../state/names.ts';
import { navigate } from '../../state/route.ts';
import { can, mayChooseTenant, tenantId } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { leave, useUnsaved } from '../../state/unsaved.ts';
import { useLoad } from '../../state/useLoad.ts';
import { Found, titleOf } from './Found.tsx';
import type { Inspected } from './kindTitles.ts';
import { parseAbi } from './parseAbi.ts';
import { useInspection } from './useInspection.ts';

type Draft = {
  address: string;
  name: string;
  chainUid: string;
  tenantId: number | undefined;
  projectId: number | undefined;
  project: string;
  abi: string;
  addressType: Contract['addressType'] | undefined;
};

/** Paste an address: Vigil looks where it has code and what it is; the rest can be left for later. */
export function AddContract({ projectId, onClose }: { projectId?: number | undefined; onClose(): void }) {
  const [draft, setDraft] = useState<Draft>({
    address: '',
    name: '',
    chainUid: '',
    tenantId: undefined,
    projectId,
    project: '',
    abi: '',
    addressType: undefined,
  });
  const form = useRef<HTMLFormElement>(null);
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown; round: number }>({
    isBusy: false,
    round: 0,
  });
  const settle = useUnsaved(form, draft.address !== '' || draft.name !== '' || draft.abi !== '');
  useLoad('chains', loadChains);
  const tenant = tenantId.value ?? draft.tenantId;
  const own = mayChooseTenant.value && tenant ? `tenantId = ${tenant}` : undefined;
  const projects = useLoad(`projects ${own}`, (signal) =>
    client.post('/project/search', {
      body: { size: 1, trackTotal: true, ...(own ? { where: own } : {}) },
      signal,
    }),
  );
  const change = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }));
    setState((before) => ({ ...before, error: undefined }));
  };
  const address = draft.address.trim();
  const families = guessFamilies(address);
  const fitting = chains.value.filter(({ family }) => families.length === 0 || families.includes(family));
  const configured = fitting.filter((chain) => chain.configured);
  const inspection = useInspection(address, families.length === 0 ? [] : configured);
  const chainUid = draft.chainUid || onlyChain(inspection.data, configured);
  const found = inspection.data?.find((one) => one.chainUid === chainUid);
  const name = draft.name.trim() || (found && titleOf(found)) || address.slice(0, 20);
  const addressType =
    draft.addressType ?? (found && !found.hasCode && found.fault === null ? 'WALLET' : 'CONTRACT');
  const needsProject = projects.data?.total === 0 && draft.projectId === undefined && can('POST /project');
  const project = draft.projectId ?? (projects.data?.total === 1 ? projects.data.data[0]?.id : undefined);
  const faults = faultsOf(state.error);
  const faultOf = (pointer: string) => faults.find((fault) => fault.pointer === pointer)?.message;

  const createProject = async () => {
    const own = mayChooseTenant.value && tenant ? { tenantId: tenant } : {};
    const { id } = await client.post('/project', {
      body: { name: draft.project.trim() || 'My project', ...own },
    });
    // A second press after a failure must not create a second one.
    setDraft((before) => ({ ...before, projectId: id }));
    return id;
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    setState({ ...state, isBusy: true });
    try {
      const abi = draft.abi.trim() ? { abi: parseAbi(draft.abi) } : {};
      const into = needsProject ? await createProject() : project;
      const contract = await client.post('/contract', {
        body: {
          address,
          name,
          chainUid,
          projectId: into as number,
          addressType,
          ...abi,
        },
      });
      toast('The contract is watched.');
      settle();
      navigate(`/contracts/${contract.id}?new=1`);
      onClose();
    } catch (error) {
      setState({ isBusy: false, error, round: state.round + 1 });
    }
  };
  return (
    <Dialog title="Watch a contract" onClose={onClose}>
      <form class="stack" ref={form} onSubmit={submit}>
        <label class="field" data-pointer="/address">
          <span class="label">Address</span>
          <input
            class="mono"
            autocomplete="off"
            spellcheck={false}
            required
            placeholder="Paste the address of a contract or a wallet"
            aria-invalid={faultOf('/address') !== undefined}
            value={draft.address}
            onInput={({ currentTarget }) => change({ address: currentTarget.value, chainUid: '' })}
          />
          <Fault text={faultOf('/address')} />
          {address !== '' && families.length === 0 && <span class="hint">{describeForm(address)}</span>}
        </label>
        {inspection.isLoading && (
          <p class="dim" role="status">
            Looking where it has code …
          </p>
        )}
        <Problem error={inspection.error} retry={inspection.reload} />
        {inspection.data && (
          <Found
            inspected={inspection.data}
            chainUid={chainUid}
            onChoose={(chosen) => change({ chainUid: chosen })}
          />
        )}
        <label class="field" data-pointer="/chainUid">
          <span class="label">Chain</span>
          <select
            required
            value={chainUid}
            aria-invalid={faultOf('/chainUid') !== undefined}
            onChange={({ currentTarget }) => change({ chainUid: currentTarget.value })}
          >
            <option value="">Choose …</option>
            {configured.length > 0 && (
              <optgroup label="Followed here">
                {configured.map(({ chainUid, name }) => (
                  <option key={chainUid} value={chainUid}>
                    {name}
                  </option>
                ))}
              </optgroup>
            )}
            <optgroup label="Without an endpoint: kept, but not watched yet">
              {fitting
                .filter((chain) => !chain.configured)
                .map(({ chainUid, name }) => (
                  <option key={chainUid} value={chainUid}>
                    {name}
                  </option>
                ))}
            </optgroup>
          </select>
          <Fault text={faultOf('/chainUid')} />
        </label>
        <label class="field" data-pointer="/name">
          <span class="label">Name</span>
          <input
            value={draft.name}
            placeholder={address === '' ? 'Vault' : name}
            aria-invalid={faultOf('/name') !== undefined}
            onInput={({ currentTarget }) => change({ name: currentTarget.value })}
          />
          <Fault text={faultOf('/name')} />
        </label>
        {needsProject && mayChooseTenant.value && tenantId.value === undefined && (
          <div class="field" data-pointer="/tenantId">
            <label class="label" for="add-tenant">
              Tenant
            </label>
            <TenantInput
              id="add-tenant"
              describedBy="add-tenant-hint"
              isInvalid={faultOf('/tenantId') !== undefined}
              value={draft.tenantId}
              onChange={(id) => change({ tenantId: id as number | undefined })}
            />
            <Fault text={faultOf('/tenantId')} />
            <span class="hint" id="add-tenant-hint">
              The team that owns what is watched.
            </span>
          </div>
        )}
        {needsProject ? (
          <label class="field">
            <span class="label">New project</span>
            <input
              value={draft.project}
              placeholder="My project"
              onInput={({ currentTarget }) => change({ project: currentTarget.value })}
            />
            <span class="hint">A project holds the contracts that are watched together.</span>
          </label>
        ) : (
          <div class="field" data-pointer="/projectId">
            <label class="label" for="add-project">
              Project
            </label>
            <RecordSelect
              id="add-project"
              kind="project"
              value={project}
              onChange={(id) => change({ projectId: id })}
            />
            <Fault text={faultOf('/projectId')} />
          </div>
        )}
        <details>
          <summary>More options</summary>
          <div class="stack">
            <label class="field">
              <span class="label">What is it</span>
              <select
                value={addressType}
                onChange={({ currentTarget }) =>
                  change({ addressType: currentTarget.value as Contract['addressType'] })
                }
              >
                <option value="CONTRACT">A contract</option>
                <option value="WALLET">A wallet</option>
                <option value="ENTITY">Another entity</option>
              </select>
            </label>
            <label class="field">
              <span class="label">ABI</span>
              <textarea
                class="mono"
                rows={4}
                spellcheck={false}
                placeholder="JSON; Vigil reads what it can without it"
                value={draft.abi}
                onInput={({ currentTarget }) => change({ abi: currentTarget.value })}
              />
            </label>
          </div>
        </details>
        <FormFaults form={form} error={state.error} round={state.round} />
        <div class="row end">
          <button type="button" onClick={() => leave(onClose, form.current)}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={state.isBusy || projects.data === undefined}>
            Watch it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Why no chain has such addresses. */
function describeForm(address: string): string {
  return /^0x[0-9a-f]*$/i.test(address)
    ? `It has ${address.length} signs; an address of an EVM chain has 42.`
    : 'No chain that Vigil knows has addresses of this form.';
}

/** The chain where it has code, or the only one that is followed, where there is no choice. */
function onlyChain(inspected: readonly Inspected[] | undefined, configured: readonly Chain[]): string {
  const found = (inspected ?? []).filter(({ hasCode }) => hasCode);
  const candidates = found.length > 0 ? found : configured;
  return candidates.length === 1 ? candidates[0]!.chainUid : '';
}

function Fault({ text }: { text: string | undefined }) {
  return text === undefined ? null : <span class="fault foreign">{text}</span>;
}
