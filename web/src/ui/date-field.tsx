import type { Formats } from '@sluice/contract';
import { clampDate, formatDate, isCalendarDate, parseFormattedDate } from '@sluice/mapping';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from './fields.tsx';

/**
 * A date as the user writes dates (a browser's own field writes them as the browser does). `value`, and what leaving the
 * field or Enter gives, is `YYYY-MM-DD` or nothing; what is no date is said, and changes nothing.
 */
export const DateField = ({
  label,
  value,
  format,
  onChange,
}: {
  label: string;
  value: string;
  format: Formats['shortDate'];
  onChange: (value: string) => void;
}) => {
  const { t } = useTranslation();
  const [text, setText] = useState(value === '' ? '' : formatDate(value, format));
  const [wrong, setWrong] = useState<string | null>(null);
  const commit = (): void => {
    const typed = text.trim();
    const parsed = typed === '' ? '' : parseFormattedDate(typed, format);
    if (parsed === null || (parsed !== '' && !isCalendarDate(parsed))) {
      setWrong(typed);
      return;
    }
    const date = parsed === '' ? '' : clampDate(parsed);
    setWrong(null);
    setText(date === '' ? '' : formatDate(date, format));
    if (date !== value) onChange(date);
  };
  return (
    <TextField
      label={label}
      value={text}
      placeholder={format}
      inputMode="numeric"
      error={wrong === null ? null : t('grid.isInvalid', { x: wrong })}
      onChange={setText}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
};
