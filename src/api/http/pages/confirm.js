// A button, because programs that check mails open every link in them.
const notice = document.getElementById('notice');
const button = document.getElementById('confirm');
const code = location.pathname.split('/').at(-1) ?? '';
const endpoint = new URL(`../../api/v1/destination/confirm/${code}`, location.href);

async function confirm() {
  button.setAttribute('disabled', '');
  const answer = await fetch(endpoint, { method: 'POST' }).catch(() => undefined);
  const body = (await answer?.json().catch(() => undefined)) ?? {};
  if (answer?.ok) {
    notice.textContent = `Confirmed: alerts of ${body.tenant} are mailed to ${body.address}.`;
    button.remove();
  } else {
    notice.textContent = body.detail ?? 'The server cannot be reached; try again.';
    button.removeAttribute('disabled');
  }
}

button?.addEventListener('click', () => void confirm());
