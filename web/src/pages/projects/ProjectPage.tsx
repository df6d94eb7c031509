import { useState } from 'preact/hooks';
import type { PageProps } from '../../pageProps.ts';
import { Badge, Tags } from '../../parts/Badge.tsx';
import { Confirm, Dialog } from '../../parts/Dialog.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { RecordForm } from '../../parts/RecordForm.tsx';
import { RecordList } from '../../parts/RecordPage.tsx';
import { client, VigilError } from '../../state/api.ts';
import { href, navigate } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { AddContract } from '../contracts/AddContract.tsx';
import { AlertsCard } from '../contracts/AlertsCard.tsx';
import { contractKind } from '../contracts/contractKind.tsx';
import { projectKind } from './ProjectsPage.tsx';

export default function ProjectPage({ params }: PageProps) {
  const id = Number(params.id);
  const project = useLoad(String(id), (signal) => client.get('/project/{id}', { path: { id }, signal }));
  const [open, setOpen] = useState<'add' | 'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  if (project.error instanceof VigilError && project.error.status === 404)
    return (
      <div class="page">
        <Empty
          title="There is no such project, or you may not see it."
          action={<a href={href('/projects')}>All projects</a>}
        />
      </div>
    );
  if (!project.data)
    return (
      <div class="page">
        <Problem error={project.error} retry={project.reload} />
        <Loading />
      </div>
    );
  const { name, description, networkStatus, tags, website } = project.data;
  return (
    <div class="page">
      <header>
        <h1 class="foreign">{name}</h1>
        {networkStatus && <Badge>{networkStatus}</Badge>}
        <Tags tags={tags} />
        {can('PUT /project/{id}') && (
          <button type="button" onClick={() => setOpen('edit')}>
            <Icon name="edit" />
            Edit
          </button>
        )}
        {can('DELETE /project/{id}') && (
          <button type="button" class="danger" onClick={() => setOpen('delete')}>
            <Icon name="trash" />
            Delete
          </button>
        )}
      </header>
      {description && <p class="foreign keep-lines">{description}</p>}
      {website && <p class="dim foreign">{website}</p>}
      <RecordList
        kind={{
          ...contractKind,
          where: `projectId = ${id}`,
          columns: contractKind.columns.filter((column) => column.name !== 'project'),
          actions: can('POST /contract') && (
            <button type="button" class="primary" onClick={() => setOpen('add')}>
              <Icon name="plus" />
              Watch a contract
            </button>
          ),
        }}
      />
      <AlertsCard condition={`projectId:${id}`} since={project.data.createdAt} />
      {open === 'add' && <AddContract projectId={id} onClose={close} />}
      {open === 'edit' && (
        <Dialog title={`Edit ${name}`} kind="drawer" onClose={close}>
          <RecordForm
            {...projectKind.form}
            path="/project"
            singular="project"
            record={project.data}
            onCancel={close}
            onDone={() => {
              close();
              project.reload();
            }}
          />
        </Dialog>
      )}
      {open === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete project"
          typed={name}
          onClose={close}
          onConfirm={async () => {
            await client.delete('/project/{id}', { path: { id } });
            toast('Deleted the project.');
            navigate('/projects');
          }}
        >
          <p>Its contracts are no longer watched, and their detectors, triggers and actions are deleted.</p>
        </Confirm>
      )}
    </div>
  );
}
