import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';

export interface Pick {
  value: string;
  label: string;
  /** Beside the label: a type. */
  tag?: string | undefined;
  /** Below: sample values, help. */
  detail?: string | undefined;
  group?: string | undefined;
  /** Found by this too. */
  words?: string | undefined;
  isDisabled?: boolean | undefined;
}

const MOST_SHOWN = 200;

/** What the typed words leave, best first: names that begin with them. */
const filterPicks = (picks: readonly Pick[], search: string): Pick[] => {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return picks.slice(0, MOST_SHOWN);
  const found = picks.filter(({ value, label, detail, words, group }) =>
    `${label} ${value} ${words ?? ''} ${detail ?? ''} ${group ?? ''}`.toLowerCase().includes(wanted),
  );
  const rank = ({ label, value }: Pick): number =>
    label.toLowerCase().startsWith(wanted) ? 0 : `${label} ${value}`.toLowerCase().includes(wanted) ? 1 : 2;
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, MOST_SHOWN);
};

/** A box to search in and the list below it: arrows walk, Enter takes, Esc leaves. */
export const PickList = ({
  label,
  picks,
  onPick,
  onClose,
  hasFocus = true,
}: {
  label: string;
  picks: readonly Pick[];
  onPick: (value: string) => void;
  onClose?: (() => void) | undefined;
  hasFocus?: boolean;
}) => {
  const { t } = useTranslation();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState('');
  const [at, setAt] = useState(0);
  const found = useMemo(() => filterPicks(picks, search), [picks, search]);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    if (!hasFocus) return;
    input.current?.focus();
    list.current?.scrollIntoView({ block: 'nearest' });
  }, [hasFocus]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const handleKey = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[event.key];
    if (step !== undefined) setAt(Math.max(0, Math.min(found.length - 1, chosen + step)));
    else if (event.key === 'Enter') {
      const pick = found[chosen];
      if (pick && !pick.isDisabled) onPick(pick.value);
    } else if (event.key === 'Escape' && onClose) onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="pick">
      <span className="field find">
        <Icon name="search" size="s" />
        <input
          ref={input}
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={found[chosen] ? `${id}-${chosen}` : undefined}
          placeholder={label}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setAt(0);
          }}
          onKeyDown={handleKey}
        />
      </span>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- entries have two lines, which no select draws */}
      <div className="pick-l" role="listbox" id={id} aria-label={label} ref={list} tabIndex={-1}>
        {found.map((pick, index) => {
          const isFirst = pick.group !== undefined && pick.group !== found[index - 1]?.group;
          return [
            isFirst && search.trim() === '' ? (
              <div className="pick-g" key={`g${index}`} role="presentation">
                {pick.group}
              </div>
            ) : null,
            <div
              key={pick.value}
              id={`${id}-${index}`}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as the list around it
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              aria-disabled={pick.isDisabled}
              className="pick-i"
              onPointerMove={() => setAt(index)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => (pick.isDisabled ? undefined : onPick(pick.value))}
              onKeyDown={handleKey}
            >
              <span className="pick-n">
                <span className="trunc">{pick.label}</span>
                {pick.tag ? <span className="ty">{pick.tag}</span> : null}
              </span>
              {pick.detail ? <span className="pick-d trunc">{pick.detail}</span> : null}
            </div>,
          ];
        })}
        {found.length === 0 ? <p className="pick-0">{t('mapping.nothingFound')}</p> : null}
      </div>
    </div>
  );
};

/** A button that shows what is chosen and opens the list below itself. */
export const PickButton = ({
  label,
  hint = label,
  shown,
  picks,
  onPick,
  isWrong = false,
  isDisabled = false,
}: {
  label: string;
  /** Stands in it while nothing is chosen. */
  hint?: string | undefined;
  /** Null: nothing is chosen yet. */
  shown: { text: string; tag?: string | undefined } | null;
  picks: readonly Pick[];
  onPick: (value: string) => void;
  isWrong?: boolean;
  isDisabled?: boolean;
}) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      className="pickbtn"
      ref={frame}
      onBlur={(event) => {
        if (!frame.current?.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <button
        type="button"
        ref={button}
        className={`sel ${isWrong ? 'bad' : ''}`}
        disabled={isDisabled}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-label={`${label}: ${shown?.text ?? t('mapping.notChosen')}`}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={`trunc ${shown ? 'm' : 'mut'}`}>{shown?.text ?? hint}</span>
        {shown?.tag ? <span className="ty-b">{shown.tag}</span> : null}
        <Icon name="chevron" size="s" />
      </button>
      {isOpen ? (
        <div className="pick-pop">
          <PickList
            label={label}
            picks={picks}
            onClose={close}
            onPick={(value) => {
              onPick(value);
              close();
            }}
          />
        </div>
      ) : null}
    </div>
  );
};
