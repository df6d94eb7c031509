import { OneOf, Text } from '../../model/schema.ts';
import type { KindSettings, Setting } from '../destinationKind.ts';
import { bodyTemplateFault, maxTemplateLength } from './fillBody.ts';

const webhookFormats = ['standard', 'cloudevents', 'ocsf', 'template'] as const;

/** The form of a body, for programs that expect another one than that of a webhook. */
export const formatSettings = {
  format: {
    schema: {
      ...OneOf(
        webhookFormats,
        'Format of the body: Standard Webhooks, CloudEvents 1.0, a Detection Finding of OCSF, or `template`.',
        'standard',
      ),
      default: 'standard',
      'x-words': {
        standard: 'Standard',
        cloudevents: 'CloudEvents 1.0',
        ocsf: 'OCSF Detection Finding',
        template: 'A template',
      },
    },
    isPublic: true,
  },
  template: {
    schema: Text(
      'The body where the format is `template`: a text, or JSON, with placeholders such as {alert.severity}, {alert.name}, {title} or {link}.',
      '{"summary":"{title}","level":"{alert.severity}"}',
      { max: maxTemplateLength },
    ),
    isPublic: true,
  },
} as const satisfies Record<string, Setting>;

export function formatFault({ format, template }: KindSettings) {
  if (format === 'template' && template === undefined)
    return { member: 'template', message: 'is required where the format is template.' };
  const fault = typeof template === 'string' ? bodyTemplateFault(template) : undefined;
  return fault === undefined ? undefined : { member: 'template', message: fault };
}
