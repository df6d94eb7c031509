/** Sends one request to Vigil's API and gives the answer's body; a refusal is an error with its text. */
export type Ask = <T = { id: number }>(method: string, path: string, body?: unknown) => Promise<T>;

export function createAsk(url: string, token: string): Ask {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as T;
  };
}
