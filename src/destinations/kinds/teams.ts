import type { Message, Target } from '../../model/notification.ts';
import { Text } from '../../model/schema.ts';
import { defineKind, type MessageRequest } from '../destinationKind.ts';
import { platformOutcome } from '../platformOutcome.ts';
import { cleanText } from '../texts/clean.ts';
import { digestStory } from '../texts/digestStory.ts';
import { type Story, severityMark } from '../texts/story.ts';

/** A webhook of Teams accepts 28 KB. */
const maxBodyBytes = 28 * 1024;

/** Microsoft Teams, by the webhook of a workflow that posts cards to a channel or chat. */
export const teams = defineKind({
  title: 'Microsoft Teams',
  about:
    'In Teams choose Workflows and “Post to a channel when a webhook request is received” (or to a chat), and paste the address of its webhook here. It is kept sealed.',
  works: 'posts an adaptive card to the webhook of a workflow, whose address is sealed',
  operator: [],
  readers: 'people',
  address: { type: 'settings', named: 'webhookUrl', uriOf: ({ webhookUrl }) => String(webhookUrl) },
  members: {},
  settings: {
    webhookUrl: {
      schema: Text(
        'Address of the webhook.',
        'https://prod-00.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=teams-example',
        { max: 2000 },
      ),
      isRequired: true,
    },
  },
  transport: 'request',
  readsBody: true,
  request: (target: Target, messages: readonly Message[]): MessageRequest => ({
    method: 'POST',
    uri: String(target.settings.webhookUrl),
    headers: { 'content-type': 'application/json' },
    body: toBody(digestStory(messages)),
  }),
  // A workflow that is switched off answers 400 until someone switches it on.
  outcome: platformOutcome('Teams', {
    gone: [404, 410],
    isFinal: ({ text }) => !/NotEnabled|Disabled/i.test(text),
  }),
});

/** The card. One that is too large loses its items, then facts from the end, and then the end of its text. */
function toBody(story: Story): string {
  const isFit = (text: string) => Buffer.byteLength(text) <= maxBodyBytes;
  const shorter = function* () {
    yield story;
    for (let items = story.items.length; items > 0; items = Math.floor(items / 2))
      yield { ...story, items: story.items.slice(0, items), more: story.more + story.items.length - items };
    const few = { ...story, items: [], more: story.more + story.items.length };
    for (let facts = story.facts.length; facts > 0; facts = Math.floor(facts / 2))
      yield { ...few, facts: story.facts.slice(0, facts) };
    yield { ...few, facts: [], lead: cleanText(story.lead, 500), links: [] };
  };
  let text = '';
  for (const part of shorter()) {
    text = JSON.stringify(toMessage(part));
    if (isFit(text)) break;
  }
  return text;
}

function toMessage(story: Story) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: toCardBody(story),
    actions: story.links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { type: 'message', attachments: [attachment] };
}

function toCardBody(story: Story) {
  const mark = story.severity ? `${severityMark[story.severity]} ` : '';
  return [
    rich([run(`${mark}${story.title}`, { weight: 'Bolder', size: 'Large' })]),
    ...(story.lead ? story.lead.split('\n').map((line) => rich([run(line)])) : []),
    ...story.facts.map(({ name, value }) => rich([run(`${name}: `, { isSubtle: true }), run(value)])),
    ...story.items.map(({ title, severity, lead }) =>
      rich([
        run(`${severity ? severityMark[severity] : '•'} ${title}`, { weight: 'Bolder' }),
        ...(lead ? [run(` ${lead}`)] : []),
      ]),
    ),
    ...(story.more > 0 ? [rich([run(`… and ${story.more} more`)])] : []),
    rich([run(story.footer, { isSubtle: true, size: 'Small' })]),
  ];
}

/** Text runs know no markup, so that nothing in a text of tenants and chains can link or mention. */
function rich(inlines: readonly object[]) {
  return { type: 'RichTextBlock', inlines };
}

function run(text: string, style: object = {}) {
  return { type: 'TextRun', text: text || ' ', ...style };
}
