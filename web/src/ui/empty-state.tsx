import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

/** Explains the next step and offers it. */
export const EmptyState = ({
  icon,
  title,
  text,
  children,
}: {
  icon: IconName;
  title: string;
  text?: string | undefined;
  children?: ReactNode;
}) => (
  <div className="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {text ? <p>{text}</p> : null}
    {children}
  </div>
);
