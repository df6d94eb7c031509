import { Badge } from '../../parts/Badge.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { useLoad } from '../../state/useLoad.ts';

type Payload = { at: number; chains: { tenantId: number | null; seq: number; hash: string; at: number }[] };

/** The signed state of every chain, its signature checked here in the browser. */
export function Verify() {
  const { data, error } = useLoad('checkpoint', async (signal) => {
    const checkpoint = await client.get('/audit/checkpoint', { signal });
    return { checkpoint, isGenuine: await isGenuine(checkpoint) };
  });
  if (error !== undefined) return <Problem error={error} />;
  if (!data) return <Loading />;
  const { checkpoint, isGenuine: verdict } = data;
  const payload = JSON.parse(checkpoint.payload) as Payload;
  return (
    <>
      <p class="row">
        {verdict === undefined ? (
          <Badge>This browser cannot check Ed25519 signatures</Badge>
        ) : (
          <Badge tone={verdict ? 'good' : 'bad'}>
            {verdict ? 'signature holds' : 'signature does not hold'}
          </Badge>
        )}
        <span class="dim">
          Signed <Time at={payload.at} exact />
        </span>
        <CopyButton text={JSON.stringify(checkpoint)} label="Copy the checkpoint" />
      </p>
      <p>
        Keep checkpoints outside of Vigil. <code>vigil audit verify</code> on the server recomputes every
        hash; an entry that was changed or removed since a checkpoint no longer fits it.
      </p>
      <table class="plain">
        <thead>
          <tr>
            <th>Chain</th>
            <th>Entries</th>
            <th>Hash</th>
          </tr>
        </thead>
        <tbody>
          {payload.chains.map(({ tenantId, seq, hash }) => (
            <tr key={String(tenantId)}>
              <td>{tenantId === null ? 'the platform' : `tenant #${tenantId}`}</td>
              <td>{seq}</td>
              <td>
                <code class="foreign small">{hash}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

type Checkpoint = { payload: string; publicKey: string; signature: string };

/** Undefined where the browser knows no Ed25519, or the page has no TLS and so no `crypto.subtle`. */
async function isGenuine({ payload, publicKey, signature }: Checkpoint): Promise<boolean | undefined> {
  try {
    const key = bytesOf(publicKey.replace(/-----[A-Z ]+-----|\s/g, ''));
    const imported = await crypto.subtle.importKey('spki', key, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify(
      'Ed25519',
      imported,
      bytesOf(signature),
      new TextEncoder().encode(payload),
    );
  } catch {
    return undefined;
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}
