import type { RaisedAlert } from '../model/alert.ts';

/** All that `deliver` reads of an alert whose document it has: the whole evidence would be stored twice. */
export function toUndecided({ uid, incident, finding }: RaisedAlert): RaisedAlert {
  const { triggerAlertId, outcome } = finding.meta;
  const { actors: _actors, initiators: _initiators, suspects: _suspects, ...others } = finding;
  return {
    uid,
    ...(incident ? { incident } : {}),
    finding: { ...others, message: '', meta: { triggerAlertId, outcome } },
  };
}
