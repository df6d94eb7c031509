export type * from './api.ts';
export type * from './configs.ts';
export { type Client, type ClientOptions, consoleHeader, createClient } from './createClient.ts';
export type { AlertEvent, FollowOptions } from './followAlerts.ts';
export type * from './types.ts';
export { type ErrorCode, VigilError } from './VigilError.ts';
export { verifyWebhook, WebhookError, type WebhookMessage } from './verifyWebhook.ts';
