// A button, because programs that check mail open every link in them. All texts of alerts are set as text.
const part = (id) => document.getElementById(id);
const code = location.pathname.split('/').at(-1) ?? '';
const endpoint = new URL(`../api/v1/link/${code}`, location.href);
const verbs = {
  acknowledge: 'Acknowledge',
  assign: 'Assign to me',
  resolve: 'Resolve',
  silence: 'Silence for an hour',
  halt: 'Halt all actions',
};
const done = {
  acknowledge: 'Acknowledged',
  assign: 'Assigned to you, and acknowledged,',
  resolve: 'Resolved',
  silence: 'Silenced for an hour',
  halt: 'Halted all actions',
};
/** Words that say more than the subject does. */
const questions = {
  assign: (what) => `Take ${what}?`,
  silence: () => 'Silence such alerts for an hour? CRITICAL ones still come.',
  halt: ({ tenant }) => `Halt all actions${tenant ? ` of ${tenant}` : ''}? A manager can let them go on.`,
};

async function ask(method) {
  const answer = await fetch(endpoint, { method }).catch(() => undefined);
  const body = (await answer?.json().catch(() => undefined)) ?? {};
  return { isOk: answer?.ok === true, body };
}

function refuse({ detail }) {
  part('notice').textContent = detail ?? 'The server cannot be reached; try again.';
}

function subjectOf({ subject, alerts }) {
  if (subject === 'alert') return 'this alert';
  return alerts === 1 ? 'this incident' : `this incident and its ${alerts} alerts`;
}

async function showLink() {
  const { isOk, body } = await ask('GET');
  if (!isOk) {
    part('title').textContent = 'This link does nothing';
    refuse(body);
    return;
  }
  part('title').textContent =
    body.action === 'halt'
      ? questions.halt(body)
      : (questions[body.action]?.(subjectOf(body)) ?? `${verbs[body.action]} ${subjectOf(body)}?`);
  part('message').textContent = `[${body.severity}] ${body.name}\n${body.message}`;
  part('notice').textContent =
    `This link was sent to ${body.sentTo} of ${body.tenant}, and works once. ${body.status === 'UNRESOLVED' ? '' : `It is ${body.status.toLowerCase()} already.`}`;
  part('act').textContent = verbs[body.action];
  part('act').hidden = false;
}

async function act() {
  part('act').setAttribute('disabled', '');
  const { isOk, body } = await ask('POST');
  if (isOk) {
    part('notice').textContent = `${done[body.action]} in the name of ${body.sentTo}.`;
    part('act').remove();
  } else {
    refuse(body);
    part('act').removeAttribute('disabled');
  }
}

part('act').addEventListener('click', () => void act());
await showLink();
