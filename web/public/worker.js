// Shows what Vigil pushes to this device, also while no page of it is open. It keeps nothing.
self.addEventListener('push', (event) => {
  let message = {};
  try {
    message = event.data.json();
  } catch {
    // The browser demands a notification for every push.
  }
  const { title = 'Vigil', body = '', url = '', tag = '', isUrgent = false } = message;
  event.waitUntil(
    self.registration.showNotification(String(title), {
      body: String(body),
      icon: './icon-192.png',
      badge: './icon-192.png',
      data: { url: String(url) },
      requireInteraction: isUrgent === true,
      ...(tag ? { tag: String(tag), renotify: true } : {}),
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openLink(event.notification.data?.url));
});

/** Opens pages of this server alone, in a window that is there already if there is one. */
async function openLink(link) {
  const { scope } = self.registration;
  const target = URL.canParse(link, scope) ? new URL(link, scope) : new URL(scope);
  const url = target.origin === new URL(scope).origin ? target.href : scope;
  const windows = await self.clients.matchAll({ type: 'window' });
  for (const client of windows) {
    const opened = await client.navigate(url).catch(() => null);
    if (opened) return opened.focus();
  }
  return self.clients.openWindow(url);
}
