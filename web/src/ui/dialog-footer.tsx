import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** What a button of a footer does. One with a `form` submits that form, so it needs no `onClick`. */
interface FooterAction {
  label: ReactNode;
  onClick?: () => void;
  form?: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  hasFocus?: boolean;
}

/** The last row of a dialog: what is to say at the left, then the way out, then what the dialog is for. */
export const DialogFooter = ({
  note,
  close,
  hasCloseFocus = false,
  onClose,
  action,
}: {
  note?: ReactNode;
  /** What the way out is called; 'Cancel' unless told otherwise. */
  close?: string | undefined;
  hasCloseFocus?: boolean;
  onClose: () => void;
  action?: FooterAction | null | undefined;
}) => {
  const { t } = useTranslation();
  return (
    <>
      {note}
      <span className="sp" />
      <button
        type="button"
        className="btn lg"
        onClick={onClose}
        {...(hasCloseFocus ? { 'data-autofocus': true } : {})}
      >
        {close ?? t('common.cancel')}
      </button>
      {action ? (
        <button
          type={action.form ? 'submit' : 'button'}
          form={action.form}
          className={`btn lg ${action.isDanger ? 'danger' : 'primary'}`}
          disabled={action.isDisabled}
          onClick={action.onClick}
          {...(action.hasFocus ? { 'data-autofocus': true } : {})}
        >
          {action.label}
        </button>
      ) : null}
    </>
  );
};
