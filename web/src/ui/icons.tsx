import type { ReactNode } from 'react';

/** Our own small set, drawn on 16 x 16; `Icon` is decorative, the control around it carries the name. */
const shapes = {
  chevron: <path d="M4.5 6.5 8 10l3.5-3.5" />,
  chevronRight: <path d="m6.500 4.500 3.500 3.500-3.500 3.500" />,
  back: <path d="M9.500 4.500 6 8l3.500 3.500" />,
  bell: <path d="M4 11.2V7.2a4 4 0 0 1 8 0v4l1 1.3H3zM6.7 14.2h2.6" />,
  help: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M6.3 6.3a1.8 1.8 0 1 1 2.5 1.8c-.5.2-.8.6-.8 1.1M8 11.4v.1" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.500v3.500M8 5.200v.1" />
    </>
  ),
  check: <path d="m3.500 8.500 3 3 6-7" />,
  success: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="m5.500 8.200 1.800 1.800 3.200-3.700" />
    </>
  ),
  warning: <path d="M8 2.500 14 13H2zM8 6.500v3M8 11.300v.1" />,
  danger: <path d="M5.500 2h5L14 5.500v5L10.500 14h-5L2 10.500v-5zM8 5v3.500M8 10.900v.1" />,
  off: <path d="M8 2.500v5M5 4.300a5 5 0 1 0 6 0" />,
  syncFailed: (
    <path d="M13 8a5 5 0 1 1-1.500-3.600M13.200 2.500v3h-3M6.500 6.700 9.500 9.700M9.500 6.700 6.500 9.700" />
  ),
  pause: <path d="M6 4v8M10 4v8" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
  filter: <path d="M2.5 4h11M4.5 8h7M6.500 12h3" />,
  columns: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1.5" />
      <path d="M6.2 3v10M9.8 3v10" />
    </>
  ),
  plus: <path d="M8 3.5v9M3.5 8h9" />,
  close: <path d="m4.500 4.500 7 7M11.500 4.500l-7 7" />,
  refresh: <path d="M13 8a5 5 0 1 1-1.500-3.600M13.200 2.500v3h-3" />,
  push: <path d="M2 3.500h4.500l4 3.700M2 12.500h4.500l4-3.700M13.500 5v6" />,
  up: <path d="M8 12.500v-9M4.500 7 8 3.500 11.500 7" />,
  down: <path d="M8 3.500v9M4.500 9 8 12.500 11.500 9" />,
  arrowRight: <path d="M3.500 8h9M9 4.500 12.500 8 9 11.500" />,
  undo: <path d="M6 3 2.500 6.500 6 10M2.500 6.500H10a3 3 0 0 1 0 6H7" />,
  redo: <path d="m10 3 3.500 3.500L10 10M13.500 6.500H6a3 3 0 0 0 0 6h3" />,
  trash: <path d="M3 4.500h10M6.500 4.500V3h3v1.500M4.500 4.500l.6 8.500h5.800l.6-8.500" />,
  edit: <path d="m3.500 12.500.5-2.500 6.500-6.500 2 2L6 12zM9.500 4.500l2 2" />,
  eye: (
    <>
      <path d="M1.800 8S4 4 8 4s6.200 4 6.200 4S12 12 8 12 1.800 8 1.800 8z" />
      <circle cx="8" cy="8" r="1.800" />
    </>
  ),
  briefcase: (
    <>
      <rect x="2" y="5" width="12" height="8" rx="1.500" />
      <path d="M6 5V3.500h4V5M2 8.500h12" />
    </>
  ),
  school: (
    <path d="M8 3 1.500 6 8 9l6.500-3zM4 7.500v3.300c1.200 1 2.500 1.500 4 1.500s2.800-.5 4-1.500V7.500" />
  ),
  dots: <path d="M3.500 8h.1M8 8h.1M12.500 8h.1" strokeWidth="2" />,
  copy: (
    <>
      <rect x="5.500" y="5.500" width="8" height="8" rx="1.500" />
      <path d="M10.500 3H4a1.500 1.500 0 0 0-1.500 1.500V11" />
    </>
  ),
  form: <path d="M3 3.500h10v9H3zM5.500 6.500h5M5.500 9.500h3" />,
  table: <path d="M2.500 3.500h11v9h-11zM2.500 7h11M6.500 3.500v9" />,
  database: (
    <>
      <ellipse cx="8" cy="4" rx="5" ry="2" />
      <path d="M3 4v8c0 1.100 2.200 2 5 2s5-.9 5-2V4M3 8c0 1.100 2.200 2 5 2s5-.9 5-2" />
    </>
  ),
  building: <path d="M4 13.500v-11h5v11M9 6.500h3v7M2.500 13.500h11M6 5h1M6 7.500h1M6 10h1" />,
  settings: <path d="M2.500 5h6M11.500 5h2M10 3.500v3M2.500 11h2M7.500 11h6M6 9.500v3" />,
  spinner: <path d="M8 2.500a5.500 5.500 0 1 1-5.500 5.500" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.500V8l2.500 1.500" />
    </>
  ),
  lock: (
    <>
      <rect x="3.500" y="7" width="9" height="6.500" rx="1.500" />
      <path d="M5.500 7V5a2.500 2.500 0 0 1 5 0v2" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof shapes;

export const Icon = ({ name, size = '' }: { name: IconName; size?: '' | 's' | 'xs' | 'spin' }) => (
  <svg className={`ic ${size}`} viewBox="0 0 16 16" aria-hidden="true">
    {shapes[name]}
  </svg>
);

/** A gate in a channel. */
export const Mark = ({ className = '' }: { className?: string }) => (
  <svg className={className} viewBox="0 0 16 16" aria-hidden="true">
    <path d="M2.500 3h5l4.800 3.800M2.500 13h5l4.800-3.800" />
  </svg>
);
