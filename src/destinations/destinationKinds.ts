import { destinationTypes } from '../model/enumerations.ts';
import type { DestinationKind, OwnMember } from './destinationKind.ts';
import { alertmanager } from './kinds/alertmanager.ts';
import { discord } from './kinds/discord.ts';
import { email } from './kinds/email.ts';
import { http } from './kinds/http.ts';
import { kafka } from './kinds/kafka.ts';
import { messengerA } from './kinds/messengerA.ts';
import { messengerB } from './kinds/messengerB.ts';
import { pagerDuty } from './kinds/pagerDuty.ts';
import { sns } from './kinds/sns.ts';
import { sqs } from './kinds/sqs.ts';
import { syslog } from './kinds/syslog.ts';
import { teams } from './kinds/teams.ts';
import { webPush } from './kinds/webPush.ts';

export type DestinationType = (typeof destinationTypes)[number];

/** Every kind of destination. One that is missing here does not compile. */
export const destinationKinds: Readonly<Record<DestinationType, DestinationKind>> = {
  EMAIL: email,
  MESSENGER_A: messengerA,
  HTTP: http,
  MESSENGER_B: messengerB,
  PAGERDUTY: pagerDuty,
  TEAMS: teams,
  DISCORD: discord,
  ALERTMANAGER: alertmanager,
  SYSLOG: syslog,
  SNS: sns,
  SQS: sqs,
  KAFKA: kafka,
  WEB_PUSH: webPush,
};

/** The types whose kind has this trait. */
export function typesWith(has: (kind: DestinationKind) => boolean): DestinationType[] {
  return destinationTypes.filter((type) => has(destinationKinds[type]));
}

export const isGrouped = ({ readers }: DestinationKind) => readers === 'people';
export const isMailed = ({ address }: DestinationKind) => address.type === 'mail';
export const isBoundByChat = ({ address }: DestinationKind) => address.type === 'chat';
/** Messages go one at a time, so that none overtakes another one. */
export const isSequential = (kind: DestinationKind) => isGrouped(kind) || kind.keepsStateOf !== undefined;

/** The members of the record that only destinations of this type have. */
export function ownMembers(type: DestinationType): OwnMember[] {
  return Object.keys(destinationKinds[type].members) as OwnMember[];
}

/** The members that a destination of this type cannot have. */
export function foreignMembers(type: DestinationType): OwnMember[] {
  return destinationTypes.flatMap((candidate) => (candidate === type ? [] : ownMembers(candidate)));
}
