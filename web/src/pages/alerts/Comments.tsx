import { useState } from 'preact/hooks';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { can, me } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { Part } from './Part.tsx';

/** What people of the tenant have written about an alert. */
export function Comments({ uid }: { uid: string }) {
  const { data, error, reload } = useLoad(
    `comments ${uid}`,
    (signal) => client.get('/alert/{uid}/comment', { path: { uid }, signal }),
    { every: 10_000 },
  );
  const mayWrite = can('POST /alert/{uid}/comment');
  if (!mayWrite && data?.data.length === 0) return null;
  const mayDelete = (authorId: number | null) =>
    mayWrite && ((authorId !== null && authorId === me.value?.userId) || isManager());
  const remove = async (id: number) => {
    const path = { uid, id };
    if (await attempt(() => client.delete('/alert/{uid}/comment/{id}', { path }), 'Deleted the comment.'))
      reload();
  };
  return (
    <Part title="Comments">
      <Problem error={error} />
      <ul class="list">
        {data?.data.map(({ id, author, authorId, text, createdAt }) => (
          <li key={id}>
            <div class="row apart">
              <span class="small">
                <strong class="foreign">{author}</strong>{' '}
                <span class="dim">
                  <Time at={createdAt} />
                </span>
              </span>
              {mayDelete(authorId) && (
                <button
                  type="button"
                  class="plain small"
                  aria-label="Delete the comment"
                  onClick={() => remove(id)}
                >
                  <Icon name="trash" />
                </button>
              )}
            </div>
            <p class="foreign keep-lines">{text}</p>
          </li>
        ))}
      </ul>
      {mayWrite && <Write uid={uid} onDone={reload} />}
    </Part>
  );
}

/** Managers delete the comments of everyone. */
const isManager = () => can('PUT /user/{id}');

function Write({ uid, onDone }: { uid: string; onDone(): void }) {
  const [text, setText] = useState('');
  const [state, setState] = useState<{ isBusy?: boolean; error?: unknown }>({});
  const send = async (event: Event) => {
    event.preventDefault();
    setState({ isBusy: true });
    try {
      await client.post('/alert/{uid}/comment', { path: { uid }, body: { text } });
      setText('');
      setState({});
      onDone();
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <form class="stack" onSubmit={send}>
      <Problem error={state.error} />
      <textarea
        aria-label="New comment"
        rows={2}
        maxLength={10_000}
        placeholder="What you found out"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div class="row end">
        <button type="submit" disabled={text.trim() === '' || state.isBusy}>
          Comment
        </button>
      </div>
    </form>
  );
}
