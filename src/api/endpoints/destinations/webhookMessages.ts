import { type TSchema, Type } from 'typebox';
import { destinationTypes } from '../../../model/enumerations.ts';
import { type EventType, eventTypes } from '../../../model/notification.ts';
import { Count, Flag, Id, Millis, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { wholeAlert } from '../alerts/alertSchemas.ts';
import { scoreChange } from '../scores/scoreSearchEndpoint.ts';

/** Subject of the webhooks of each type. */
const words: Readonly<Record<EventType, string>> = {
  'alert.detector.raised': 'A detector has raised an alert.',
  'alert.trigger.raised': 'A trigger has raised an alert.',
  'alert.retracted': 'What an alert reported did not happen: its block or its pending transaction is gone.',
  'alert.resolved': 'A user marked an alert as resolved.',
  'alert.updated': 'A user acknowledged an alert, or took that back.',
  'alert.repeated': 'No one has acknowledged or resolved an alert, and its route repeats it.',
  'action.submitted': 'The transaction of an action was sent.',
  'action.confirmed': 'The transaction of an action is confirmed.',
  'action.failed': 'An action failed.',
  'action.replaced': 'The transaction of an action was sent again with a higher fee.',
  'action.waiting': 'The wallet of an action has too little to pay for it.',
  'score.changed': 'The score of a license instance changed.',
  'subscription.expiring': 'The subscription of the tenant ends soon, or has ended.',
  'destination.disabled':
    'Nothing reached another destination of the tenant for five days, or it wants no more.',
  ping: 'A test message.',
};

const named = (what: string, example: string) => ({
  id: Id(`The ${what}.`),
  name: Text('Its name.', example),
});
/** A title names the schema in the OpenAPI document. */
const titled = (title: string, schema: TSchema): TSchema => ({ ...schema, title });
const whole = (members: Record<string, TSchema>, description: string) =>
  Shape(members, Object.keys(members), description);

const alert = titled(
  'WebhookAlert',
  Shape(
    {
      ...wholeAlert.members,
      contract: nullable(
        whole(
          {
            ...named('contract', 'Vault'),
            address: Text('Its address.', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
            chainUid: Text('Its chain.', 'ethereum'),
          },
          'The contract.',
        ),
      ),
      project: nullable(whole(named('project', 'Lending'), 'The project.')),
      incident: whole(
        {
          uid: Text('Its identifier.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'),
          number: Count('Which of its alerts this one is, from 1.', 1),
        },
        'The incident that it belongs to.',
      ),
      nextStep: Text('The first step for a person after an alert of this kind.', 'Pause the contract.'),
      nextSteps: Text(
        'What to do, in the words of its detector or trigger.',
        'Call the desk, then pause the vault.',
      ),
      runbookUrl: Text(
        'Address of the page that says what to do.',
        'https://wiki.example.com/runbooks/vault',
      ),
      escalation: Shape(
        {
          id: Id('Which one.'),
          chain: Text('Name of the escalation chain.', 'Treasury'),
          step: Count('The step, from 1.', 1),
          steps: Count('How many steps a round has.', 3),
          round: Count('The round, from 1.', 1),
          calls: nullable(Text('Who is called; null for a destination.', 'Alice (Treasury)')),
          userId: nullable(Id('The user who is called.')),
        },
        ['id', 'chain', 'step', 'steps', 'round', 'calls', 'userId'],
        'The step of a chain that it was sent for.',
      ),
      links: Shape(
        {
          explorer: nullable(Text('In a block explorer.', 'https://etherscan.io/tx/0x5c50')),
          alert: Text(
            'In the console.',
            'https://vigil.example.com/alert/01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071',
          ),
          acknowledge: Text(
            'A page on which the reader acknowledges it, once, within seven days; only of new alerts.',
            'https://vigil.example.com/act/1.3.7.acknowledge.alert.…',
          ),
          resolve: Text('The same to resolve it.', 'https://vigil.example.com/act/1.3.7.resolve.alert.…'),
          assign: Text(
            'The same by which the user who was called takes it.',
            'https://vigil.example.com/act/1.3.7.assign.alert.…',
          ),
          silence: Text(
            'The same to silence such alerts for an hour, CRITICAL ones excepted.',
            'https://vigil.example.com/act/1.3.7.silence.alert.…',
          ),
          halt: Text(
            'The same to halt all actions of the tenant; only of alerts that are HIGH or CRITICAL, and of actions.',
            'https://vigil.example.com/act/1.3.7.halt.alert.…',
          ),
        },
        ['explorer', 'alert'],
        'Where more can be read.',
      ),
      repeat: whole(
        {
          number: Count('Which repeat it is, from 1.', 3),
          since: Millis('When the first message was.'),
          open: Count('How many alerts of its group no one has answered.', 2),
          routeId: Id('The route that repeats it.'),
          routeName: Text('Its name.', 'Treasury at night'),
        },
        'Only where it is repeated.',
      ),
      truncated: Flag(
        'The message was too long: it leaves out `meta`, and if that is not enough all but three members.',
      ),
    },
    ['uid', 'severity', 'links'],
    'An alert as a webhook carries it. All members of an alert are there unless it is truncated.',
  ),
);

const score = titled(
  'WebhookScore',
  whole(
    {
      ...scoreChange,
      project: whole(named('project', 'Lending'), 'The project.'),
      license: whole(
        { ...named('license', 'Insight'), version: Text('Its version.', '1.0.0') },
        'The license.',
      ),
    },
    'A change of a score.',
  ),
);

const subscription = titled(
  'WebhookSubscription',
  whole(
    {
      subscriptionId: Id('The subscription.'),
      tenant: whole(named('tenant', 'Treasury'), 'The tenant.'),
      plan: whole({ name: Text('Its name.', 'Team') }, 'The plan.'),
      expirationDate: Millis('When it ends.'),
      watchingUntil: Millis('How long Vigil goes on watching after that.'),
      daysLeft: Count('Days until it ends.', 7),
      state: OneOf(['EXPIRING', 'EXPIRED', 'STOPPED'], 'Its outcome.', 'EXPIRING'),
    },
    'The subscription of the tenant.',
  ),
);

const disabled = titled(
  'WebhookDestination',
  Shape(
    {
      destinationId: Id('The destination.'),
      destinationType: OneOf(destinationTypes, 'Its kind.', 'EMAIL'),
      reason: Text('Reason that nothing gets through.', 'The mailbox is unknown.'),
      failingSince: nullable(Millis('When the first of the failures was.')),
      advice: Text('What else enables it again.', 'Or bind a chat again.'),
    },
    ['destinationId', 'destinationType', 'reason', 'failingSince'],
    'A destination that Vigil no longer sends to.',
  ),
);

const test = whole({ message: Text('A sentence.', 'This is a test message of Vigil.') }, 'A test.');

function dataOf(type: EventType): TSchema {
  if (type === 'score.changed') return score;
  if (type === 'subscription.expiring') return subscription;
  if (type === 'destination.disabled') return disabled;
  return type === 'ping' ? test : alert;
}

/** The body of the webhook of each type, after its words. */
export const webhookMessages: readonly { type: EventType; words: string; body: TSchema }[] = eventTypes.map(
  (type) => ({
    type,
    words: words[type],
    body: whole(
      {
        type: Type.Unsafe<EventType>({ type: 'string', enum: [type], description: 'What happened.' }),
        timestamp: Type.String({
          format: 'date-time',
          description: 'When it happened (ISO 8601).',
          examples: ['2026-11-15T08:00:00.000Z'],
        }),
        sequence: Count('Rises with each message to the destination.', 42, Number.MAX_SAFE_INTEGER),
        data: dataOf(type),
      },
      words[type],
    ),
  }),
);
