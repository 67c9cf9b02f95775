import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from './icons.tsx';
import { useOverlay, useReturnFocus } from './overlays.ts';

/** A modal of the product: title row, body, footer. Traps the focus and gives it back. */
export const Dialog = ({
  isOpen,
  onClose,
  onPutAway = onClose,
  title,
  subtitle,
  width = 480,
  footer,
  children,
  isTall = false,
}: {
  isOpen: boolean;
  onClose: () => void;
  /** Instead of closing, when everything closes because the session is about to end. */
  onPutAway?: () => void;
  title: string;
  subtitle?: string | undefined;
  width?: number;
  footer?: ReactNode;
  children: ReactNode;
  isTall?: boolean;
}) => {
  const { t } = useTranslation();
  useOverlay('normal', isOpen, onPutAway);
  useReturnFocus(isOpen);
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      size={width}
      centered
      classNames={{ content: 'dialog' }}
      styles={{
        content: {
          overflow: 'hidden',
          display: 'flex',
          flexDirection: 'column',
          ...(isTall ? { height: 'min(864px, calc(100dvh - 32px))' } : {}),
        },
        inner: { padding: 16 },
      }}
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--scrim)" />
      <Modal.Content>
        <div className="dlg-h">
          <div style={{ minWidth: 0 }}>
            <Modal.Title component="h2">{title}</Modal.Title>
            {subtitle ? <p className="sub">{subtitle}</p> : null}
          </div>
          <span className="sp" />
          <button type="button" className="iconbtn" aria-label={t('common.close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {children}
        {footer ? <div className="dlg-f">{footer}</div> : null}
      </Modal.Content>
    </Modal.Root>
  );
};
