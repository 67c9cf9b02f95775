import {
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../../grid/column-layout.ts';
import { useStore } from '../../platform/store.ts';
import { Icon } from '../../ui/icons.tsx';
import type { SearchSpec } from './read-columns.ts';
import type { TableSession } from './table-session.ts';
import './records.css';

const TYPES = ['any', 'text', 'number', 'boolean', 'date', 'time'] as const;

const Toggle = ({
  label,
  text,
  isOn,
  onChange,
}: {
  label: string;
  text: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) => (
  <button
    type="button"
    className={`find-toggle ${isOn ? 'on' : ''}`}
    aria-pressed={isOn}
    aria-label={label}
    title={label}
    onClick={() => onChange(!isOn)}
  >
    {text}
  </button>
);

const isSame = (a: SearchSpec, b: SearchSpec | null): boolean =>
  b !== null &&
  a.text === b.text &&
  a.dataType === b.dataType &&
  a.matchCase === b.matchCase &&
  a.matchWholeWord === b.matchWholeWord &&
  String(a.fields) === String(b.fields);

/** Several columns that were chosen in the table, as one entry of the list. */
const CHOSEN = '*';

/** Where is looked: all shown columns, one of them, or those that were chosen in the table. */
const ColumnScope = ({ table }: { table: TableSession }) => {
  const { t } = useTranslation();
  const { finder, grid } = table;
  const { fields } = useStore(finder.state).spec;
  const { columns } = useSyncExternalStore(
    useCallback((update) => grid.subscribe((event) => event === 'layout' && update()), [grid]),
    () => grid.layout,
  );
  const chosen = fields && fields.length > 1 ? fields.length : 0;
  return (
    <span className="field findtype">
      <select
        aria-label={t('find.columns')}
        value={chosen > 0 ? CHOSEN : (fields?.[0] ?? '')}
        onChange={({ target: { value } }) => finder.change({ fields: value === '' ? null : [value] })}
      >
        <option value="">{t('find.allColumns')}</option>
        {chosen > 0 ? <option value={CHOSEN}>{t('find.chosenColumns', { count: chosen })}</option> : null}
        {columns.map((column) => (
          <option key={column.id} value={column.id}>
            {fullName(column)}
          </option>
        ))}
      </select>
    </span>
  );
};

/** Find and replace over all rows, loaded or not; stands above the grid while it is open. */
export const FindBar = ({
  table,
  field,
  onClose,
}: {
  table: TableSession;
  field: RefObject<HTMLInputElement | null>;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const { finder, grid } = table;
  const { spec, hit, cells, status } = useStore(finder.state);
  const { view, job } = useStore(table.state);
  const [isReplacing, setReplacing] = useState(false);
  const [replacement, setReplacement] = useState('');
  useEffect(() => {
    finder.begin();
    field.current?.select();
  }, [finder, field]);

  const close = (): void => {
    if (view.search) table.setView({ search: null });
    onClose();
  };
  const onlyRows = isSame(finder.forRows, view.search);
  const bar = useRef<HTMLElement>(null);
  const handleKey = useEffectEvent((event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (event.key !== 'Enter') return;
    else if (event.target === field.current) finder.go(event.shiftKey ? 'previous' : 'next');
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // On the bar itself: Escape closes it from each of its controls.
  useEffect(() => {
    const node = bar.current;
    const listen = (event: KeyboardEvent): void => handleKey(event);
    node?.addEventListener('keydown', listen);
    return () => node?.removeEventListener('keydown', listen);
  }, []);
  const says =
    spec.text.trim() === ''
      ? ''
      : status === 'none'
        ? t('find.noHits')
        : hit && hit.number !== null && cells !== null
          ? t('find.hitOf', { number: hit.number, total: cells })
          : t('find.searching');
  const canReplace = grid.canUpdate;
  const isIdle = spec.text.trim() === '';
  return (
    <search ref={bar} className="findbar" aria-label={t('find.title')}>
      <div className="findrow">
        <label className={`field findtext ${status === 'none' ? 'bad' : ''}`}>
          <Icon name="search" />
          <input
            ref={field}
            aria-label={t('find.text')}
            placeholder={t('find.placeholder')}
            value={spec.text}
            onChange={(event) => finder.change({ text: event.target.value })}
          />
          <output className={`findsays ${status === 'none' ? 'none' : ''}`} aria-live="polite">
            {says}
          </output>
        </label>
        <button
          type="button"
          className="btn ghost sq"
          disabled={isIdle}
          aria-label={t('find.previous')}
          title={`${t('find.previous')} (Shift Enter)`}
          onClick={() => finder.go('previous')}
        >
          <Icon name="up" />
        </button>
        <button
          type="button"
          className="btn ghost sq"
          disabled={isIdle}
          aria-label={t('find.next')}
          title={`${t('find.next')} (Enter)`}
          onClick={() => finder.go('next')}
        >
          <Icon name="down" />
        </button>
        <ColumnScope table={table} />
        <span className="field findtype">
          <select
            aria-label={t('find.type')}
            value={spec.dataType}
            onChange={(event) => {
              const dataType = TYPES.find((one) => one === event.target.value);
              if (dataType) finder.change({ dataType });
            }}
          >
            {TYPES.map((type) => (
              <option key={type} value={type}>
                {t(`find.type_${type}`)}
              </option>
            ))}
          </select>
        </span>
        <Toggle
          label={t('find.matchCase')}
          text="Aa"
          isOn={spec.matchCase}
          onChange={(matchCase) => finder.change({ matchCase })}
        />
        <Toggle
          label={t('find.wholeWord')}
          text="|ab|"
          isOn={spec.matchWholeWord}
          onChange={(matchWholeWord) => finder.change({ matchWholeWord })}
        />
        <label className="swt findonly">
          <input
            type="checkbox"
            className="cbx"
            checked={onlyRows}
            disabled={isIdle}
            onChange={(event) => table.setView({ search: event.target.checked ? finder.forRows : null })}
          />
          <span>{t('find.onlyRows')}</span>
        </label>
        <span className="sp" />
        {canReplace ? (
          <button
            type="button"
            className={`btn ghost ${isReplacing ? 'on' : ''}`}
            aria-expanded={isReplacing}
            onClick={() => setReplacing((is) => !is)}
          >
            {t('find.showReplace')}
            <span className={isReplacing ? 'turned' : ''} style={{ display: 'inline-flex' }}>
              <Icon name="chevron" size="xs" />
            </span>
          </button>
        ) : null}
        <button type="button" className="iconbtn" aria-label={t('find.close')} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {isReplacing && canReplace ? (
        <div className="findrow">
          <label className="field findtext">
            <Icon name="edit" />
            <input
              aria-label={t('find.replacement')}
              placeholder={t('find.replacement')}
              value={replacement}
              onChange={(event) => setReplacement(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || isIdle) return;
                event.preventDefault();
                void finder.replaceOne(replacement);
              }}
            />
          </label>
          <button
            type="button"
            className="btn"
            disabled={isIdle || status === 'none' || job !== null}
            onClick={() => void finder.replaceOne(replacement)}
          >
            {t('find.replaceOne')}
          </button>
          <button
            type="button"
            className="btn"
            disabled={isIdle || status === 'none' || job !== null}
            onClick={() => void finder.replaceAll(replacement)}
          >
            {t('find.replaceAll')}
          </button>
        </div>
      ) : null}
    </search>
  );
};

/** Says that only rows with hits are shown, also while the bar is closed. */
export const SearchChip = ({ table, onOpen }: { table: TableSession; onOpen: () => void }) => {
  const { t } = useTranslation();
  const { search } = useStore(table.state).view;
  if (!search) return null;
  return (
    <span className="chip">
      <button type="button" className="lbl" onClick={onOpen}>
        <i>{t('find.chip')}</i> <b>{search.text}</b>
      </button>
      <button
        type="button"
        aria-label={t('find.removeSearch')}
        onClick={() => table.setView({ search: null })}
      >
        <Icon name="close" size="xs" />
      </button>
    </span>
  );
};
