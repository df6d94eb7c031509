/** Strokes on a grid of 16; drawn here, so that no request and no font is needed. */
const paths = {
  overview: 'M2 9h3l2-6 3 10 2-4h2',
  alerts: 'M8 2a4 4 0 0 1 4 4c0 4 1.500 5 1.500 5h-11S4 10 4 6a4 4 0 0 1 4-4ZM6.500 13.500h3',
  incidents: 'M8 2 14.500 5 8 8 1.500 5zM1.500 8 8 11l6.500-3M1.500 11 8 14l6.500-3',
  projects: 'M2 4.500h4l1.500 1.500H14v7H2zM2 4.500v-1h4',
  detectors: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.600 10.600 14 14M5 7h4M7 5v4',
  actions: 'M9 1.500 3.500 9H8l-1 5.500L12.500 7H8z',
  destinations: 'M14 2 7 9M14 2l-4.500 12L7 9 2 6.500z',
  scores: 'M2 14V9M6 14V5M10 14V8M14 14V2',
  admin:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 1.500v2M8 12.500v2M1.500 8h2M12.500 8h2M3.400 3.400l1.400 1.400M11.200 11.200l1.400 1.400M3.400 12.600l1.400-1.400M11.200 4.800l1.400-1.400',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.600 10.600 14 14',
  plus: 'M8 3v10M3 8h10',
  close: 'm4 4 8 8M12 4l-8 8',
  check: 'm3 8.500 3.500 3.500L13 4.500',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  outside: 'M9 2.500h4.500V7M13.500 2.500 7.500 8.500M11.500 9.500v4h-9v-9h4',
  down: 'm4 6 4 4 4-4',
  right: 'm6 4 4 4-4 4',
  menu: 'M2 4h12M2 8h12M2 12h12',
  halt: 'M5.500 2h5L14 5.500v5L10.500 14h-5L2 10.500v-5zM6 6v4M10 6v4',
  warning: 'M8 2 14.500 13.500h-13zM8 6.500v3.500M8 11.800v.2',
  live: 'M8 9a1 1 0 1 0 0-2 1 1 0 0 0 0 2ZM4.800 11.200a4.500 4.500 0 0 1 0-6.400M11.200 4.800a4.500 4.500 0 0 1 0 6.400M2.700 13.300a7.500 7.500 0 0 1 0-10.600M13.300 2.700a7.500 7.500 0 0 1 0 10.600',
  theme: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12M8 4.500h4M8 8h6M8 11.500h4',
  user: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.500 14c.5-3 2.500-4.500 5.500-4.500s5 1.500 5.500 4.500',
  edit: 'M10.500 2.500 13.500 5.500 6 13H3v-3z',
  trash: 'M3 4.500h10M6 4.500v-2h4v2M4.500 4.500l.5 9h6l.5-9',
  download: 'M8 2v8M4.500 7 8 10.500 11.500 7M2.500 13.500h11',
  tag: 'M2 8.500V2.500h6l6 6-6 6zM5 5.500v.1',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
