import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../platform/i18n/i18n.ts';
import { Icon } from '../../ui/icons.tsx';
import { initialsOf } from '../../ui/initials.ts';
import { authorGroups } from './review-model.ts';
import type { PendingRecord, Scope } from './selection.ts';

/** Whose changes, and which of them: the line above the review's list. */
export const ReviewBar = ({
  records,
  me,
  ticked,
  tickable,
  onTickAll,
  scope,
  hasSelection,
  onScope,
  hidden,
  onHide,
  wanted,
  onWanted,
}: {
  records: readonly PendingRecord[];
  me: string;
  ticked: number;
  tickable: number;
  onTickAll: (is: boolean) => void;
  scope: Scope;
  hasSelection: boolean;
  onScope: (scope: Scope) => void;
  /** Ids of authors whose changes are left out. */
  hidden: ReadonlySet<string>;
  onHide: (hidden: ReadonlySet<string>) => void;
  wanted: string;
  onWanted: (text: string) => void;
}) => {
  const { t } = useTranslation();
  const authors = useMemo(() => authorGroups(records), [records]);
  const toggle = (id: string): void => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    onHide(next);
  };
  return (
    <div className="rv-bar">
      <input
        type="checkbox"
        className="cbx"
        aria-label={t('push.selectAll')}
        title={t('push.selectAll')}
        disabled={tickable === 0}
        checked={ticked > 0 && ticked === tickable}
        ref={(node) => {
          if (node) node.indeterminate = ticked > 0 && ticked < tickable;
        }}
        onChange={(event) => onTickAll(event.target.checked)}
      />
      <fieldset className="seg" aria-label={t('review.whose')}>
        {(['mine', 'all', ...(hasSelection ? (['selection'] as const) : [])] as const).map((id) => (
          <button
            key={id}
            type="button"
            className={scope === id ? 'on' : ''}
            aria-pressed={scope === id}
            onClick={() => onScope(id)}
          >
            {t(`push.${id}`)}
          </button>
        ))}
      </fieldset>
      {scope !== 'mine' && authors.length > 1 ? (
        <span className="authors">
          {authors.map((group) => {
            const id = group.id.slice('author '.length);
            return (
              <button
                key={id}
                type="button"
                className={`author ${hidden.has(id) ? '' : 'on'}`}
                aria-pressed={!hidden.has(id)}
                onClick={() => toggle(id)}
              >
                <span className={`avatar ${id === me ? '' : 'av-f'}`}>{initialsOf(group.name)}</span>
                {id === me ? t('common.you') : group.name}
                <span className="n">{numeral(group.records.length)}</span>
              </button>
            );
          })}
        </span>
      ) : null}
      <span className="sp" />
      <label className="field find" style={{ width: 230 }}>
        <Icon name="search" />
        <input
          aria-label={t('push.find')}
          placeholder={t('push.find')}
          value={wanted}
          onChange={(event) => onWanted(event.target.value)}
        />
      </label>
    </div>
  );
};
