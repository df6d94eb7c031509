type Rules<E> = {
  /** Time before the next endpoint is asked beside it. */
  patienceMs(one: E): number;
  /** True if this failure settles the question, so nobody else needs to be asked. */
  isSettled(error: unknown, one: E, rest: readonly E[]): boolean;
  /** True if a failure counts as an answer, which is believed when the remaining endpoints take too long. */
  isAnswer(error: unknown): boolean;
  /** Called with those that are still busy after so long when another one has answered. */
  overtaken(one: E, ms: number): void;
};

/** Asks the first, the next one when it fails, and another one beside it when it is slow; what all of them said if none answers. */
export function requestInTurn<E, T>(
  order: readonly E[],
  request: (one: E) => Promise<T>,
  rules: Rules<E>,
): Promise<{ value: T } | { faults: readonly unknown[] }> {
  return new Promise((resolve) => {
    const faults: unknown[] = [];
    const busy = new Map<E, number>();
    let isDone = false;
    let started = 0;
    let timer: NodeJS.Timeout | undefined;

    function finish(outcome: { value: T } | { faults: readonly unknown[] }): void {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      for (const [one, since] of busy) rules.overtaken(one, performance.now() - since);
      resolve(outcome);
    }

    function startNext(): void {
      const one = order[started];
      if (isDone || one === undefined) return;
      started++;
      busy.set(one, performance.now());
      clearTimeout(timer);
      timer = setTimeout(onSlow, rules.patienceMs(one));
      request(one).then(
        (value) => {
          busy.delete(one);
          finish({ value });
        },
        (error: unknown) => {
          busy.delete(one);
          faults.push(error);
          const rest = order.slice(started);
          if (faults.length === order.length || rules.isSettled(error, one, rest)) finish({ faults });
          else startNext();
        },
      );
    }

    function onSlow(): void {
      if (started < order.length) startNext();
      else if (faults.some(rules.isAnswer)) finish({ faults });
    }

    startNext();
  });
}
