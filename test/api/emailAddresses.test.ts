import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, startTestApi, type TestApi } from '../../testing/startTestApi.ts';

const good = [
  'alice@example.com',
  'Bob.Smith+tag@Mail.Example.COM',
  "o'neil_{x}@a-b.example",
  'root@localhost',
  `${'a'.repeat(64)}@example.com`,
];
const bad = [
  'nobody',
  '@example.com',
  'a@',
  'a b@example.com',
  'a@b@example.com',
  '.a@example.com',
  'a..b@example.com',
  'a.@example.com',
  'a@-example.com',
  'a@example..com',
  'a@example.com.',
  'jürgen@example.com',
  'a@exämple.com',
  '"a"@example.com',
  'a@[127.0.0.1]',
  'a@example.com\r\nBcc: b@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(64)}.com`,
];

let api: TestApi;
let tenantId: number;
let other: number;
let destinationId: number;
let userId: number;
beforeAll(async () => {
  api = await startTestApi();
  tenantId = (await api.ok('POST', 'tenant', { name: 'Acme' })).id;
  other = (await api.ok('POST', 'tenant', { name: 'Other' })).id;
  await api.ok('PUT', 'plan/1', { maxUsers: 1000 });
  const destination = { tenantId, type: 'EMAIL', value: 'first@example.com' };
  destinationId = (await api.ok('POST', 'destination', destination)).id;
  const { id: third } = await api.ok('POST', 'tenant', { name: 'Third' });
  userId = (
    await api.ok('POST', 'user', { tenantId: third, email: 'first@example.com', roles: ['tenant-user'] })
  ).id;
});
afterAll(() => api.stop());

const url = 'https://console.example.com/accept';
/** Every place that takes an address: how it is sent, where its fault is, and where it comes back. */
const places: Record<
  string,
  {
    send: (email: string) => Promise<Answer>;
    pointer: string;
    shown?: (answer: Answer) => unknown;
    ok: number;
  }
> = {
  'POST /user': {
    send: (email) => api.call('POST', 'user', { tenantId, email, roles: ['tenant-user'] }),
    pointer: '/email',
    shown: ({ body }) => body.email,
    ok: 201,
  },
  'PUT /user': {
    send: (email) => api.call('PUT', `user/${userId}`, { email }),
    pointer: '/email',
    shown: ({ body }) => body.email,
    ok: 200,
  },
  'POST /invite': {
    send: (email) => api.call('POST', 'invite', { email, roles: ['tenant-user'], tenantId: other, url }),
    pointer: '/email',
    shown: ({ body }) => body.email,
    ok: 201,
  },
  'POST /destination': {
    send: (value) => api.call('POST', 'destination', { tenantId, type: 'EMAIL', value }),
    pointer: '/value',
    shown: ({ body }) => body.value,
    ok: 201,
  },
  'PUT /destination': {
    send: (value) => api.call('PUT', `destination/${destinationId}`, { value }),
    pointer: '/value',
    shown: ({ body }) => body.value,
    ok: 200,
  },
  'POST /auth/login': {
    send: (email) => api.call('POST', 'auth/login', { email, password: 'wrong' }, { token: null }),
    pointer: '/email',
    ok: 401,
  },
};

it.each(Object.keys(places))('%s refuses the same addresses in the same words', async (name) => {
  const { send, pointer } = places[name]!;
  for (const email of bad) {
    const answer = await send(email);
    expect([answer.status, answer.body.errors], email).toEqual([
      400,
      [{ pointer, code: 'format', message: 'must be an e-mail address such as alice@example.com.' }],
    ]);
  }
});

it.each(Object.keys(places))('%s takes the same addresses, in lower case', async (name) => {
  const { send, shown, ok } = places[name]!;
  for (const email of good) {
    const answer = await send(email);
    expect(answer.status, `${email}: ${answer.text}`).toBe(ok);
    if (shown) expect(shown(answer)).toBe(email.toLowerCase());
  }
});
