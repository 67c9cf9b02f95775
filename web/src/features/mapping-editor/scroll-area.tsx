import type { ReactNode } from 'react';

/** A part of the page that scrolls by itself. */
export const ScrollArea = ({
  label,
  className,
  children,
}: {
  label: string;
  className: string;
  children: ReactNode;
}) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys
  <section className={className} aria-label={label} tabIndex={0}>
    {children}
  </section>
);
