const fn = (name: string, inputs: readonly unknown[], outputs: readonly unknown[] = []) => ({
  function_v0: { doc: '', name, inputs, outputs },
});
const field = (name: string, type_: unknown) => ({ doc: '', name, type_ });

/** What the contract of the stand-in does, in the form that tools of Soroban print. */
export const vaultSpec = [
  fn('pause', [field('reason', 'symbol')]),
  fn('set_quota', [field('quota', 'i128')]),
  fn('quota', [field('user', 'address')], ['i128']),
  fn('is_paused', [], ['bool']),
  fn('mode', [], [{ udt: { name: 'Mode' } }]),
  {
    udt_struct_v0: {
      doc: '',
      lib: '',
      name: 'Mode',
      fields: [field('kind', { udt: { name: 'Kind' } }), field('until', { option: { value_type: 'u64' } })],
    },
  },
  {
    udt_union_v0: {
      doc: '',
      lib: '',
      name: 'Kind',
      cases: [{ void_v0: { doc: '', name: 'Open' } }, { void_v0: { doc: '', name: 'Closed' } }],
    },
  },
  {
    event_v0: {
      doc: '',
      lib: '',
      name: 'Paused',
      prefix_topics: ['paused'],
      params: [
        { ...field('by', 'address'), location: 'topic_list' },
        { ...field('reason', 'symbol'), location: 'data' },
      ],
      data_format: 'single_value',
    },
  },
];
