import type { FieldDescriptor, Scalar, Value } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { scalarOf, textOfScalar } from './constants.ts';

/** A constant of a type: what can be chosen is chosen, everything else typed. */
export const ConstantInput = ({
  label,
  type,
  options,
  value,
  placeholder,
  isWrong = false,
  isDisabled = false,
  describedBy,
  onChange,
}: {
  label: string;
  type: string;
  options?: readonly { value: Scalar; description?: string | undefined }[] | null | undefined;
  value: Value;
  placeholder?: string | undefined;
  isWrong?: boolean;
  isDisabled?: boolean;
  describedBy?: string | undefined;
  onChange: (value: Scalar) => void;
}) => {
  const { t } = useTranslation();
  const text = textOfScalar(typeof value === 'object' ? null : value);
  // What is typed stays as it is typed: 1,50 does not become 1.5 under the hand.
  const [typed, setTyped] = useState(text);
  const shown = scalarOf(typed, type) === (value ?? null) ? typed : text;
  const common = {
    'aria-label': label,
    'aria-invalid': isWrong,
    'aria-describedby': describedBy,
    disabled: isDisabled,
  };
  const choices =
    options && options.length > 0
      ? options.map((option) => ({
          value: textOfScalar(option.value),
          label: option.description ?? textOfScalar(option.value),
          raw: option.value,
        }))
      : type === 'bool'
        ? [
            { value: 'true', label: t('common.yes'), raw: true },
            { value: 'false', label: t('common.no'), raw: false },
          ]
        : null;
  if (choices) {
    return (
      <span className={`inp sm ${isWrong ? 'bad' : ''}`}>
        <select
          {...common}
          value={text}
          onChange={(event) =>
            onChange(choices.find((choice) => choice.value === event.target.value)?.raw ?? null)
          }
        >
          <option value="">{placeholder ?? t('mapping.none')}</option>
          {choices.every((choice) => choice.value !== text) && text !== '' ? <option>{text}</option> : null}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      </span>
    );
  }
  return (
    <span className={`inp sm ${isWrong ? 'bad' : ''}`}>
      <input
        {...common}
        value={shown}
        placeholder={placeholder}
        onChange={(event) => {
          setTyped(event.target.value);
          onChange(scalarOf(event.target.value, type));
        }}
      />
    </span>
  );
};

/** What a constant for a field is typed as. */
export const constantType = (field: FieldDescriptor | undefined): string => field?.dataType ?? 'string';
