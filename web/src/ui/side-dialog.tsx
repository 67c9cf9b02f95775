import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from './icons.tsx';
import { useOverlay, useReturnFocus } from './overlays.ts';
import './side-dialog.css';

/** A dialog along the right edge, as high as the window. Traps the focus and gives it back. */
export const SideDialog = ({
  onClose,
  title,
  subtitle,
  width = 440,
  footer,
  children,
}: {
  onClose: () => void;
  title: string;
  subtitle?: string | undefined;
  width?: number;
  footer?: ReactNode;
  children: ReactNode;
}) => {
  const { t } = useTranslation();
  useOverlay('normal', true, onClose);
  useReturnFocus(true);
  return (
    <Modal.Root
      opened
      onClose={onClose}
      size={width}
      classNames={{ content: 'side', inner: 'side-inner' }}
      transitionProps={{ transition: 'slide-left', duration: 120 }}
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--scrim)" />
      <Modal.Content>
        <div className="dlg-h">
          <div style={{ minWidth: 0 }}>
            <Modal.Title component="h2">{title}</Modal.Title>
            {subtitle ? <p className="sub trunc">{subtitle}</p> : null}
          </div>
          <span className="sp" />
          <button type="button" className="iconbtn" aria-label={t('common.close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
        <section className="side-b" aria-label={title} tabIndex={0}>
          {children}
        </section>
        {footer ? <div className="dlg-f">{footer}</div> : null}
      </Modal.Content>
    </Modal.Root>
  );
};
