import { type RefObject, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';

/** A password, hidden until one asks to see it. */
export const PasswordField = ({
  label,
  value,
  onChange,
  autoComplete,
  error,
  hint,
  isDisabled = false,
  field,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: 'current-password' | 'new-password';
  error?: string | null | undefined;
  hint?: string | undefined;
  isDisabled?: boolean;
  field?: RefObject<HTMLInputElement | null>;
}) => {
  const { t } = useTranslation();
  const id = useId();
  const [isShown, setShown] = useState(false);
  const told = error ?? hint;
  return (
    <div className="fl">
      <label htmlFor={id}>{label}</label>
      <span className={`inp ${error ? 'bad' : ''}`}>
        <input
          id={id}
          ref={field}
          type={isShown ? 'text' : 'password'}
          autoComplete={autoComplete}
          disabled={isDisabled}
          aria-invalid={Boolean(error)}
          aria-describedby={told ? `${id}-d` : undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        <button
          type="button"
          className="iconbtn"
          aria-label={t(isShown ? 'login.hide' : 'login.show')}
          aria-pressed={isShown}
          onClick={() => setShown((is) => !is)}
        >
          <Icon name="eye" />
        </button>
      </span>
      {told ? (
        <p className={error ? 'err' : 'hint'} id={`${id}-d`}>
          {told}
        </p>
      ) : null}
    </div>
  );
};
