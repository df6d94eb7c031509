/** The member that a path such as `data.prices[0].usd` leads to; an error that says where it ends. */
export function jsonAt(document: unknown, path: string): unknown {
  let value = document;
  let walked = '';
  for (const [step] of path.matchAll(/[^.[\]]+/g)) {
    const isMember = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    if (!isMember) throw new Error(`The answer has no ${step} at ${walked || 'its top'} (path ${path}).`);
    value = Reflect.get(value as object, step);
    walked = walked === '' ? step : `${walked}.${step}`;
  }
  return value;
}
