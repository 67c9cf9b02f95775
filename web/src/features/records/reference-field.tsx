import type { FieldDescriptor, Value } from '@sluice/contract';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { Icon } from '../../ui/icons.tsx';
import { valueAtPath } from './row-state.ts';

/** Of a picker, as decided for all of them. */
const SHOWN = 50;

interface Choice {
  value: string;
  label: string | null;
}

type Reference = NonNullable<FieldDescriptor['reference']>;

const choicesOf = async (
  collection: string,
  reference: Reference,
  query: { search: string } | { filter: string },
  signal: AbortSignal,
): Promise<Choice[]> => {
  const reply = await call('getRecords', {
    params: { collection },
    query: {
      ...('search' in query && query.search === '' ? {} : query),
      limit: SHOWN,
      noTotal: 'true',
      ...(reference.labelField ? {} : { metadata: 'fields' as const }),
    },
    signal,
  });
  const labelField = reference.labelField ?? reply.metadata?.labelField ?? null;
  return ('resources' in reply ? reply.resources : []).map((resource) => {
    const label = labelField ? valueAtPath(resource, labelField) : null;
    return {
      value: String(valueAtPath(resource, reference.valueField) ?? ''),
      label: label === null ? null : String(label),
    };
  });
};

/** The key of a record of another table: typed, or found there by any of its values. */
export const ReferenceField = ({
  ids,
  fieldId,
  collection,
  reference,
  value,
  text,
  isLocked,
  isWrong,
  onText,
  onBlur,
}: {
  ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean };
  fieldId: string;
  /** The table that is referred to. */
  collection: string;
  reference: Reference;
  /** What the text stands for. */
  value: Value;
  text: string;
  isLocked: boolean;
  isWrong: boolean;
  onText: (text: string) => void;
  onBlur: () => void;
}) => {
  const { t } = useTranslation();
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const [active, setActive] = useState(0);
  // Opening shows the whole table; only what is typed narrows it.
  const wanted = useDeferredValue(isTyped ? text.trim() : '');
  const found = useQuery({
    queryKey: ['reference', collection, wanted],
    queryFn: ({ signal }) => choicesOf(collection, reference, { search: wanted }, signal),
    enabled: isOpen,
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const named = useQuery({
    queryKey: ['reference-label', collection, reference.valueField, value],
    queryFn: async ({ signal }) => {
      const filter = JSON.stringify([{ field: reference.valueField, operator: 'equals', value }]);
      return (await choicesOf(collection, reference, { filter }, signal))[0] ?? null;
    },
    enabled: isScalar && value !== '' && !isOpen,
    staleTime: 30_000,
  });
  const choices = found.data ?? [];
  const pick = (choice: Choice | undefined): void => {
    if (!choice) return;
    onText(choice.value);
    setOpen(false);
    setTyped(false);
  };
  const open = (): void => {
    if (isLocked || isOpen) return;
    setActive(0);
    setOpen(true);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) open();
      else {
        const step = event.key === 'ArrowDown' ? 1 : -1;
        setActive((now) => Math.min(Math.max(0, now + step), Math.max(0, choices.length - 1)));
      }
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      pick(choices[active]);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div className="ref">
      <span className={`inp sm ${isWrong ? 'bad' : ''} ${isLocked ? 'ro' : ''}`}>
        <input
          {...ids}
          data-field={fieldId}
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && choices[active] ? `${listId}-${active}` : undefined}
          autoComplete="off"
          disabled={isLocked}
          value={text}
          onChange={(event) => {
            setTyped(true);
            setActive(0);
            setOpen(true);
            onText(event.target.value);
          }}
          onKeyDown={onKeyDown}
          onClick={open}
          onBlur={() => {
            setOpen(false);
            setTyped(false);
            onBlur();
          }}
        />
        {!isOpen && named.data?.label ? <span className="ref-label trunc">{named.data.label}</span> : null}
        {!isOpen && named.data === null && text !== '' ? (
          <span className="ref-label trunc warn-t">{t('form.noSuchRecord')}</span>
        ) : null}
        <Icon name="search" size="s" />
      </span>
      {isOpen ? (
        // The field keeps the focus: the list is told through aria-activedescendant.
        <div className="ref-list" onMouseDown={(event) => event.preventDefault()} role="presentation">
          {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a datalist cannot show a description beside the value */}
          <div id={listId} role="listbox" aria-label={t('form.findRecord')}>
            {choices.map((choice, i) => (
              <button
                type="button"
                key={choice.value}
                id={`${listId}-${i}`}
                // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option element cannot hold two texts
                role="option"
                tabIndex={-1}
                aria-selected={i === active}
                className={i === active ? 'on' : ''}
                onMouseEnter={() => setActive(i)}
                onClick={() => pick(choice)}
              >
                <span>{choice.value}</span> <em className="trunc">{choice.label}</em>
              </button>
            ))}
          </div>
          {found.error ? (
            <p className="mut">{errorText(found.error)}</p>
          ) : found.data && choices.length === 0 ? (
            <p className="mut">{t('form.nothingFound')}</p>
          ) : found.isPending ? (
            <p className="mut">{t('common.loading')}…</p>
          ) : null}
        </div>
      ) : null}
    </div>
  );
};
