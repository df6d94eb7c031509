// The page behind the link in every notification: signs in, shows the alert, marks it as resolved.
const uid = location.pathname.split('/').pop();
const stored = 'vigil-token';
const at = (id) => document.getElementById(id);

at('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  const { email, password, key } = Object.fromEntries(new FormData(event.target));
  void attempt(async () => {
    const token = key || (await ask('POST', 'auth/login', { email, password })).token;
    sessionStorage.setItem(stored, token.trim());
    event.target.reset();
    await load();
  });
});

at('resolve').addEventListener('click', () => {
  const status = at('status').textContent === 'RESOLVED' ? 'UNRESOLVED' : 'RESOLVED';
  void attempt(async () => {
    await ask('PUT', `alert/${uid}`, { status });
    await load();
  });
});

if (sessionStorage.getItem(stored)) void attempt(load);
else signIn('');

/** Tells what went wrong; without a valid token the form comes back. */
async function attempt(work) {
  try {
    await work();
  } catch (problem) {
    if (problem.status === 401) {
      sessionStorage.removeItem(stored);
      signIn(problem.message);
    } else if (problem.status === 404) tell('There is no such alert, or you may not see it.');
    else tell(problem.message);
  }
}

async function load() {
  const alert = await ask('GET', `alert/${uid}`);
  show(alert, await ask('GET', `contract/${alert.contractId}`));
}

async function ask(method, path, body) {
  const token = sessionStorage.getItem(stored);
  let response;
  try {
    response = await fetch(`../api/v1/${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  } catch {
    throw new Error('Vigil does not answer; try again in a moment.');
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.detail ?? `Vigil answered ${response.status}.`), {
    status: response.status,
  });
}

function signIn(text) {
  at('alert').hidden = true;
  at('sign-in').hidden = false;
  tell(text);
}

function tell(text) {
  at('notice').hidden = text === '';
  at('notice').textContent = text;
}

function show(alert, contract) {
  tell('');
  at('sign-in').hidden = true;
  at('alert').hidden = false;
  document.title = `${alert.severity}: ${alert.name} – Vigil`;
  at('severity').textContent = alert.severity;
  at('severity').dataset.level = alert.severity;
  at('status').textContent = alert.status;
  at('name').textContent = alert.name;
  at('message').textContent = alert.message;
  const when = new Date(alert.timestamp);
  fill('facts', {
    When: `${when.toLocaleString()} (${when.toISOString()})`,
    Chain: alert.chainUid,
    Block: alert.blockNumber === null ? null : `${alert.blockNumber} (${alert.finality.toLowerCase()})`,
    Transaction: alert.txHash,
    Contract: contract.name,
    Address: contract.address,
    Detector: alert.detectorId,
    Trigger: alert.triggerId,
    Action: alert.actionId,
    Wallet: alert.walletAddress,
    Tags: alert.tags.join(', ') || null,
  });
  fill('evidence', alert.meta);
  at('record').textContent = JSON.stringify(alert, null, 2);
  at('resolve').hidden = alert.status === 'RETRACTED';
  at('resolve').textContent = alert.status === 'RESOLVED' ? 'Open it again' : 'Mark as resolved';
}

function fill(id, members) {
  const rows = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  at(id).replaceChildren(
    ...rows.map(([name, value]) => {
      const row = document.createElement('tr');
      const [head, cell] = [document.createElement('th'), document.createElement('td')];
      head.scope = 'row';
      head.textContent = name;
      cell.textContent = toText(value);
      row.append(head, cell);
      return row;
    }),
  );
}

function toText(value) {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}
