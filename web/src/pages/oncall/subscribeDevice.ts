import { apiUrl } from '../../state/api.ts';

export type PushSettings = {
  endpoint: string;
  p256dh: string;
  auth: string;
  vapidKey: string;
  contact: string;
};

export const canPush = 'serviceWorker' in navigator && 'PushManager' in window && isSecureContext;

/** Subscribes this browser with a key of its own, whose private half only the server keeps. */
export async function subscribeDevice(): Promise<PushSettings> {
  const registration = await navigator.serviceWorker.register(new URL('worker.js', apiUrl), {
    scope: apiUrl,
  });
  await navigator.serviceWorker.ready;
  // One of before is for another key.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const publicKey = await crypto.subtle.exportKey('raw', pair.publicKey);
  const { d } = await crypto.subtle.exportKey('jwk', pair.privateKey);
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: new Uint8Array(publicKey),
  });
  const [p256dh, auth] = [subscription.getKey('p256dh'), subscription.getKey('auth')];
  if (!p256dh || !auth || !d) throw new Error('The browser gave no keys for its subscription.');
  return {
    endpoint: subscription.endpoint,
    p256dh: toBase64url(p256dh),
    auth: toBase64url(auth),
    vapidKey: d,
    contact: location.protocol === 'https:' ? location.origin : 'https://localhost',
  };
}

function toBase64url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** A name by which a person finds the device again. */
export function deviceName(): string {
  const { userAgent } = navigator;
  const device = /iPhone|iPad|Android|Windows|Macintosh|Linux/.exec(userAgent)?.[0] ?? 'device';
  const browser = /Firefox|Edg|Chrome|Safari/.exec(userAgent)?.[0]?.replace('Edg', 'Edge') ?? 'browser';
  return `${browser} on ${device.replace('Macintosh', 'Mac')}`;
}
