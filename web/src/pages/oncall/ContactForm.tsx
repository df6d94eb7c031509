import { useState } from 'preact/hooks';
import { Problem } from '../../parts/Problem.tsx';
import { client, searchRecords } from '../../state/api.ts';
import { can, me } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { usePeople } from './usePeople.ts';

type Destination = { id: number; name: string | null; value: string | null };

/** How the reader is called by schedules and chains. */
export function ContactForm() {
  const { people, reload } = usePeople();
  const userId = me.value?.userId ?? undefined;
  const own = people.find((one) => one.userId === userId);
  const [edited, setEdited] = useState<readonly number[]>();
  const { data, error } = useLoad(own ? 'contact destinations' : null, (signal) =>
    searchRecords<Destination>('/destination', { size: 200, where: "status = 'ACTIVE'" }, signal),
  );
  if (!own || userId === undefined || !can('PUT /contact')) return null;
  const chosen = edited ?? own.destinationIds;
  const save = async () => {
    const body = { destinationIds: [...chosen] };
    if (await attempt(() => client.put('/contact', { body }), 'Saved.')) {
      setEdited(undefined);
      reload();
    }
  };
  return (
    <section class="card" aria-labelledby="contact">
      <header>
        <h2 id="contact">How you are called</h2>
      </header>
      <Problem error={error} />
      <p class="dim">
        When a schedule or a chain calls you, all of these get the message. Without any it goes to the
        confirmed destination with your own address.
      </p>
      <fieldset class="stack">
        <legend class="hide-visually">Your destinations</legend>
        {data?.data.map(({ id, name, value }) => (
          <label key={id} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) =>
                setEdited(currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
            />
            <span class="foreign">{(name ?? value ?? `destination #${id}`).slice(0, 200)}</span>
          </label>
        ))}
      </fieldset>
      <p>
        <button type="button" disabled={edited === undefined} onClick={save}>
          Save how you are called
        </button>
      </p>
    </section>
  );
}
