import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { codeFile } from '../../lib/codeFile.ts';
import { asStored, sendStored, storedFile } from './storedFile.ts';

/** Nothing from outside and nothing inline, so that no text of an alert can become a script. */
const policy =
  "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; " +
  "script-src 'self'; style-src 'self'";

/** Pages behind the links in mails. They call the API as any client does. */
export function addPages(app: FastifyInstance): void {
  serve(app, '/destination/confirm/:code', 'confirm.html', 'text/html');
  serve(app, '/pages/confirm.js', 'confirm.js', 'text/javascript');
  serve(app, '/act/:code', 'act.html', 'text/html');
  serve(app, '/pages/act.js', 'act.js', 'text/javascript');
  serve(app, '/pages/alert.css', 'alert.css', 'text/css');
}

/** The alert behind the link of a notification, where no console shows it. */
export function addAlertPage(app: FastifyInstance): void {
  serve(app, '/alert/:uid', 'alert.html', 'text/html');
  serve(app, '/pages/alert.js', 'alert.js', 'text/javascript');
}

function serve(app: FastifyInstance, path: string, file: string, type: string): void {
  const page = storedFile(`${type}; charset=utf-8`, readFileSync(codeFile(`api/http/pages/${file}`)));
  app.get(path, asStored, async (request, reply) =>
    sendStored(request, reply.header('content-security-policy', policy), page),
  );
}
