import { useId } from 'react';
import { SavedTick } from './saved-tick.tsx';

/** One of a few, each with what it looks like. */
export const ChoiceList = <T extends string>({
  label,
  options,
  value,
  isSaved,
  onChange,
}: {
  label: string;
  options: readonly { value: T; label: string; sample?: string | undefined }[];
  value: T;
  isSaved: boolean;
  onChange: (value: T) => void;
}) => {
  const name = useId();
  return (
    <fieldset className="set-choice">
      <legend>
        {label} <SavedTick isShown={isSaved} />
      </legend>
      {options.map((option) => (
        <label key={option.value} className={option.value === value ? 'on' : ''}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
          {option.sample ? <span className="sample tn">{option.sample}</span> : null}
        </label>
      ))}
    </fieldset>
  );
};
