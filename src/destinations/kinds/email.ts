import { defineKind } from '../destinationKind.ts';

export const email = defineKind({
  title: 'E-mail',
  about:
    'Vigil mails a link to the address. Nothing else is sent there until someone has opened it. Give it a group window to get one mail for many alerts.',
  works:
    'Vigil mails a link (below `VIGIL_PUBLIC_URL`) and sends nothing else until someone opens it and confirms. Alerts wait up to seven days. `confirmed` shows the state; `POST /destination/{id}/confirm` mails the link again: once a minute, five times a day for an address',
  operator: ['VIGIL_SMTP_URL'],
  readers: 'people',
  address: { type: 'mail' },
  members: {},
  settings: {},
  transport: 'mail',
});
