/** The pages of the console in the order of its document: path as in web/src/pages.ts, name of the pictures, and what a person does there. */
export const consolePages = [
  [
    '/',
    'overview',
    'Overview',
    'Alerts over time, the gravest open ones, what needs attention, and what came while you were away.',
  ],
  [
    '/alerts',
    'alerts',
    'Alerts',
    'Search, facets, a histogram to drag over, a live tail, and the alert beside the list.',
  ],
  [
    '/alert/:uid',
    'alert',
    'Alert',
    'What happened, what to do next, the evidence as its kind is read, and what was done about it.',
  ],
  [
    '/alert/:uid/trace',
    'trace',
    'Call tree',
    'Who gained and who lost in the transaction, then every call by names and amounts.',
  ],
  ['/incidents', 'incidents', 'Incidents', 'Alerts of one cause as one thing to deal with.'],
  [
    '/incidents/:uid',
    'incident',
    'Incident',
    'What was lost, by whom and whether it goes on; where the money went; everything that happened.',
  ],
  [
    '/projects',
    'projects',
    'Contracts',
    'All projects and their contracts; an address is pasted here to be watched.',
  ],
  [
    '/projects/:id',
    'project',
    'Project',
    'The contracts of a project, who else sees them, and their alerts.',
  ],
  [
    '/contracts/:id',
    'contract',
    'Contract',
    'Owner, pause and proxy with since when, holdings and alerts on one axis, and what watches it.',
  ],
  [
    '/detectors',
    'detectors',
    'Detectors',
    'Everything that looks for findings, with its last alert and its faults.',
  ],
  [
    '/detectors/:id',
    'detector',
    'Detector',
    'The form of its kind, the backtest that runs while it is edited, and what saving would change.',
  ],
  ['/triggers', 'triggers', 'Triggers', 'Rules on events, calls, balances and times.'],
  ['/catalogue', 'catalogue', 'Catalogue', 'Every kind of detector and trigger in words, with a search.'],
  ['/actions', 'actions', 'Actions', 'Signed calls: what fires them, the life of each, the halt of all.'],
  ['/wallets', 'wallets', 'Wallets', 'Who signs: balances, limits, what may be called.'],
  ['/approvals', 'approvals', 'Approvals', 'Calls and changes that wait for a second person.'],
  ['/destinations', 'destinations', 'Destinations', 'Where messages go, what each gets, and every delivery.'],
  ['/routes', 'routes', 'Routes', 'Which alert goes to whom, tried on past alerts before it is switched on.'],
  ['/silences', 'silences', 'Silences', 'What is not sent for a while, and why.'],
  ['/planned', 'planned', 'Planned changes', 'Upgrades that are announced, so that only others alarm.'],
  ['/timesets', 'timesets', 'Time sets', 'Hours and days that silences and routes keep to.'],
  ['/oncall', 'on-call', 'On call', 'Who is called now and next, and how this device is notified.'],
  ['/chains', 'chains', 'Escalation chains', 'Who is called after whom, until someone acknowledges.'],
  ['/scores', 'scores', 'Scores', 'Scores of shared projects, and the alert behind each step.'],
  ['/licenses', 'licenses', 'Licenses', 'The scripts of scores, tried on real alerts.'],
  [
    '/admin',
    'admin',
    'Administration',
    'Users, keys, invites, chains, labels, plans, telemetry and the audit log.',
  ],
  [
    '/admin/:section',
    'labels',
    'A section of the administration',
    'Each section is a page of its own; this one holds the names of addresses.',
  ],
].map(([path, picture, title, about]) => ({ path, picture, title, about }));

/** docs/console.md: every page with its picture in the theme of the reader. */
export function consoleDocument() {
  const parts = consolePages.map(
    ({ path, picture, title, about }) => `## ${title}

\`${path}\`: ${about}

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="images/${picture}-dark.webp">
  <img alt="${title} in the console" src="images/${picture}-light.webp">
</picture>
`,
  );
  return `# The console, page by page

Pictures of the demo (\`npm run demo\`) in both themes. \`npm run screenshots\` takes them and writes this page.

${parts.join('\n')}`;
}
