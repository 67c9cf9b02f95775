import { type InputHTMLAttributes, type ReactNode, useId } from 'react';

/** A label, its control, and what is to say about it. */
export const Labelled = ({
  label,
  error,
  hint,
  warning,
  isWide = false,
  isChanged = false,
  isRequired = false,
  children,
}: {
  label: string;
  error?: string | null | undefined;
  hint?: string | null | undefined;
  warning?: string | null | undefined;
  isWide?: boolean;
  isChanged?: boolean;
  isRequired?: boolean;
  children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
    'aria-required': boolean | undefined;
  }) => ReactNode;
}) => {
  const id = useId();
  const described = error || hint || warning ? `${id}-d` : undefined;
  return (
    <div className={`fl ${isWide ? 'wide' : ''} ${isChanged ? 'changed' : ''}`}>
      <label htmlFor={id}>
        <span>
          {label}
          {isRequired ? (
            <span className="mut" aria-hidden="true">
              {' '}
              *
            </span>
          ) : null}
        </span>
      </label>
      {children({
        id,
        'aria-describedby': described,
        'aria-invalid': Boolean(error),
        'aria-required': isRequired || undefined,
      })}
      {error ? (
        <p className="err" id={`${id}-d`}>
          {error}
        </p>
      ) : warning ? (
        <p className="warn-t" id={`${id}-d`}>
          {warning}
        </p>
      ) : hint ? (
        <p className="hint" id={`${id}-d`}>
          {hint}
        </p>
      ) : null}
    </div>
  );
};

export const TextField = ({
  label,
  value,
  onChange,
  error,
  hint,
  isRequired = false,
  isWide = false,
  ...rest
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | null | undefined;
  hint?: string | null | undefined;
  isRequired?: boolean;
  isWide?: boolean;
} & Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'>) => (
  <Labelled label={label} error={error} hint={hint} isWide={isWide} isRequired={isRequired}>
    {(ids) => (
      <span className={`inp sm ${error ? 'bad' : ''} ${rest.disabled ? 'ro' : ''}`}>
        <input {...rest} {...ids} value={value} onChange={(event) => onChange(event.target.value)} />
      </span>
    )}
  </Labelled>
);

/** Several lines, in the letters of code (settings that are lists or profiles) unless it is prose. */
export const AreaField = ({
  label,
  value,
  onChange,
  error,
  hint,
  isRequired = false,
  isProse = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | null | undefined;
  hint?: string | null | undefined;
  isRequired?: boolean;
  /** Sentences, not code. */
  isProse?: boolean;
}) => (
  <Labelled label={label} error={error} hint={hint} isWide isRequired={isRequired}>
    {(ids) => (
      <span className={`inp sm area ${error ? 'bad' : ''}`}>
        <textarea
          {...ids}
          className={isProse ? '' : 'code'}
          spellCheck={isProse}
          rows={Math.min(20, Math.max(3, value.split('\n').length + 1))}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </span>
    )}
  </Labelled>
);

export const SelectField = ({
  label,
  value,
  onChange,
  options,
  error,
  hint,
  isDisabled = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: readonly { value: string; label: string }[];
  error?: string | null | undefined;
  hint?: string | null | undefined;
  isDisabled?: boolean;
}) => (
  <Labelled label={label} error={error} hint={hint}>
    {(ids) => (
      <span className={`inp sm ${isDisabled ? 'ro' : ''}`}>
        <select
          {...ids}
          disabled={isDisabled}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      </span>
    )}
  </Labelled>
);

export const Switch = ({
  label,
  isOn,
  onChange,
  isDisabled = false,
  isLabelHidden = false,
}: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
  isLabelHidden?: boolean;
}) => (
  <label className="swt">
    <input
      type="checkbox"
      role="switch"
      checked={isOn}
      aria-checked={isOn}
      disabled={isDisabled}
      aria-label={isLabelHidden ? label : undefined}
      onChange={(event) => onChange(event.target.checked)}
    />
    {isLabelHidden ? null : <span>{label}</span>}
  </label>
);
