import type { Locator } from 'playwright-core';

/** Members that hold no others. */
const leaves = '[data-pointer]:not(:has([data-pointer]))';

/** Changes each member of a form in the way of its control; gives the places of those that were changed. */
export async function changeForm(
  form: Locator,
  add: readonly string[],
  values: Readonly<Record<string, string | null>>,
): Promise<string[]> {
  await unfold(form);
  for (const list of add)
    await form.locator(`[data-pointer="${list}"]`).getByRole('button', { name: 'Add' }).last().click();
  await unfold(form);
  const members = (await form.locator(leaves).evaluateAll(describeFields)).filter(
    ({ pointer }) => values[pointer] !== null,
  );
  for (const { pointer, kind, shown } of members)
    await change[kind](form.locator(`[data-pointer="${pointer}"]`), values[pointer] ?? undefined, shown);
  return members.map(({ pointer }) => pointer);
}

/** What each member shows, by its place. */
export async function readForm(form: Locator): Promise<Record<string, string>> {
  await unfold(form);
  const members = await form.locator(leaves).evaluateAll(describeFields);
  return Object.fromEntries(members.map(({ pointer, shown }) => [pointer, shown]));
}

async function unfold(form: Locator): Promise<void> {
  await form.locator('details').evaluateAll((all: { open: boolean }[]) => {
    for (const details of all) details.open = true;
  });
  // A box stands in for an editor until its code is there.
  await form.locator('textarea.mono:not([id])').first().waitFor({ state: 'detached' });
}

type Kind = keyof typeof change;
type Element = {
  querySelectorAll(selector: string): Iterable<Element>;
  querySelector(selector: string): Element | null;
  dataset: { pointer: string };
  shadowRoot: Element | null;
  textContent: string;
  placeholder: string;
  type: string;
  checked: boolean;
  value: string;
  selectedOptions?: readonly { text: string }[];
};

/** Runs on the page. */
function describeFields(fields: Element[]): { pointer: string; kind: Kind; shown: string }[] {
  return fields.map((field) => {
    const all = (selector: string) => [...field.querySelectorAll(selector)];
    const has = (selector: string) => field.querySelector(selector) !== null;
    const editors = all('div').flatMap(({ shadowRoot }) => [
      ...(shadowRoot?.querySelectorAll('.cm-content') ?? []),
    ]);
    const kinds: [Kind, boolean][] = [
      ['words', has('.words')],
      ['script', editors.length > 0],
      ['select', has('select')],
      ['check', has('input[type=checkbox]')],
      ['pairs', has('fieldset') && !has('fieldset label input')],
      ['number', has('input[type=number]')],
      ['date', has('input[type=date]')],
      ['json', field.querySelector('textarea')?.placeholder === 'JSON'],
    ];
    const texts = [
      ...[...all('.tag > .foreign'), ...editors].map(({ textContent }) => textContent),
      ...all('input, textarea, select').map(({ type, checked, selectedOptions, value }) =>
        type === 'checkbox' ? String(checked) : (selectedOptions?.[0]?.text ?? value),
      ),
    ];
    return {
      pointer: field.dataset.pointer,
      kind: kinds.find(([, isIt]) => isIt)?.[0] ?? 'text',
      shown: texts.join(' | '),
    };
  });
}

type Change = (field: Locator, value: string | undefined, shown: string) => Promise<void>;

const fill = (field: Locator, text: string) => field.locator('input, textarea').first().fill(text);

/** How a person changes a member, by its control. */
const change = {
  text: (field, value, shown) => fill(field, value ?? `${shown} changed`.trim()),
  number: (field, value, shown) => fill(field, value ?? String(Number(shown) + 1)),
  date: (field, value) => fill(field, value ?? '2031-05-06'),
  json: (field, value) => fill(field, value ?? '{\n  "added": 1\n}'),
  script: async (field, value) => {
    const editor = field.locator('.cm-content').first();
    // Text that is typed over coloured text takes its style along, which the content security policy refuses.
    await editor.press('ControlOrMeta+a');
    await editor.press('Delete');
    await editor.fill(value ?? '1 > 0');
  },
  words: async (field, value) => {
    await fill(field, value ?? 'added');
    await field.locator('input').press('Enter');
  },
  check: async (field, _value, shown) => {
    const isFull = !shown.includes('false');
    await field
      .locator(isFull ? 'input' : 'input:not(:checked)')
      .first()
      .click();
  },
  select: async (field, value) => {
    const others = field.locator('option:not(:checked):not([value=""])');
    // Names of records come after the form.
    await others.first().waitFor({ state: 'attached' });
    await field
      .locator('select')
      .first()
      .selectOption({ label: value ?? (await others.first().textContent())! });
  },
  pairs: async (field, value) => {
    const [name = 'x-added', text = 'added'] = value?.split('=') ?? [];
    await field.getByRole('button', { name: 'Add' }).click();
    await field.getByLabel('Name', { exact: true }).last().fill(name);
    await field.getByLabel('Value', { exact: true }).last().fill(text);
  },
} satisfies Record<string, Change>;
