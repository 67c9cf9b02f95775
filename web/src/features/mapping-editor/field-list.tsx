import type { FieldPath } from '@sluice/contract';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../platform/i18n/i18n.ts';
import { Icon } from '../../ui/icons.tsx';
import { MenuButton } from '../../ui/popup-menu.tsx';
import { type FieldFilter, type FieldRow, groupFields } from './field-rows.ts';
import { useWorkspace } from './workspace.ts';
import { fieldType } from './words.ts';
import { ScrollArea } from './scroll-area.tsx';

const filters: readonly FieldFilter[] = ['all', 'mapped', 'unmapped', 'wrong'];
const SHORT_LIST = 12;

/** What the row tells beside its name: counts of the preview, or that nothing fills it. */
const Standing = ({ row }: { row: FieldRow }) => {
  const { t } = useTranslation();
  if (!row.isMapped) {
    return (
      <span className={`num rest ${row.isMissing ? 'miss' : ''}`}>
        {row.isMissing ? <Icon name="warning" size="xs" /> : null}
        {t('mapping.notMapped')}
      </span>
    );
  }
  if (row.mark === 'error')
    return (
      <span className="num rest e">
        <Icon name="danger" size="xs" />
        {t('mapping.hasError')}
      </span>
    );
  const { counts } = row;
  if (!counts) return <span className="num rest">{t('mapping.mapped')}</span>;
  return (
    <>
      <span className={`num ${counts.ok === 0 ? 'z' : ''}`}>{numeral(counts.ok)}</span>
      <span className={`num ${counts.empty === 0 ? 'z' : ''}`}>{numeral(counts.empty)}</span>
      <span className={`num ${counts.error === 0 ? 'z' : 'e'}`}>{numeral(counts.error)}</span>
    </>
  );
};

const handleArrows = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const rows = [...(event.currentTarget.closest('.left')?.querySelectorAll<HTMLElement>('button.tg') ?? [])];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
};

/** Target fields by group, with what becomes of each. */
export const FieldList = ({
  chosen,
  onChoose,
}: {
  chosen: string | null;
  onChoose: (path: string) => void;
}) => {
  const { t } = useTranslation();
  const { written, mappings, problems, preview, place } = useWorkspace();
  const title = t(place === 'action' ? 'mapping.targetFields' : 'mapping.sourceFields');
  const [search, setSearch] = useState('');
  const [filter, setFilter] = useState<FieldFilter>('all');
  const [isMenu, setMenu] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const groups = useMemo(
    () => groupFields(written, mappings, problems, preview, { search, filter }),
    [written, mappings, problems, preview, search, filter],
  );
  const shownGroups = groups.filter(({ total }) => total > 0);
  const isSearching = search.trim() !== '' || filter !== 'all';
  const toggle = (name: string): void =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(name)) next.add(name);
      return next;
    });
  const line = (row: FieldRow) => (
    <button
      type="button"
      key={row.field.path}
      className={`tg row ${row.field.path === chosen ? 'on' : ''} ${row.isMapped ? '' : 'un'}`}
      aria-current={row.field.path === chosen}
      title={hint(row.field)}
      onClick={() => onChoose(row.field.path)}
      onKeyDown={handleArrows}
    >
      <span className="nm">
        <span className={`trunc ${row.field.path === chosen ? 'm' : ''}`}>{row.field.name}</span>
        <span className="ty">{fieldType(row.field)}</span>
        {row.mark === 'warning' ? <Icon name="warning" size="xs" /> : null}
      </span>
      <Standing row={row} />
    </button>
  );
  return (
    <section className="left" aria-label={title}>
      <div className="lh">
        <span className="field find">
          <Icon name="search" size="s" />
          <input
            type="search"
            aria-label={t('mapping.findField')}
            placeholder={t('mapping.findField')}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </span>
        <MenuButton
          isOpen={isMenu}
          onChange={setMenu}
          entries={filters.map((name) => ({
            label: t(`mapping.filter_${name}`),
            isChecked: name === filter,
            onClick: () => setFilter(name),
          }))}
        >
          <button
            type="button"
            className={`btn sq ${filter === 'all' ? '' : 'on'}`}
            aria-label={`${t('mapping.filterFields')}: ${t(`mapping.filter_${filter}`)}`}
          >
            <Icon name="filter" />
          </button>
        </MenuButton>
      </div>
      <ScrollArea className="tg-l" label={title}>
        {shownGroups.map(({ group, rows, mapped, total }, index) => {
          const isOpen = isSearching || (group === 'hidden' ? open.has(group) : !open.has(group));
          const isMore = open.has(`${group}+`) || isSearching;
          const mappedRows = rows.filter((row) => row.isMapped || row.field.path === chosen);
          const restRows = rows.filter((row) => !row.isMapped && row.field.path !== chosen);
          const isShort = group === 'mandatory' || restRows.length <= SHORT_LIST || isMore;
          const shown = isShort ? rows : [...mappedRows, ...restRows.slice(0, SHORT_LIST)];
          return (
            <div key={group} className={index > 0 ? 'hl' : ''}>
              <h3 className="tg gh">
                <button type="button" className="gb" aria-expanded={isOpen} onClick={() => toggle(group)}>
                  <Icon name={isOpen ? 'chevron' : 'chevronRight'} size="xs" />
                  {place === 'action'
                    ? t(`mapping.group_${group}`)
                    : t(group === 'hidden' ? 'mapping.updates_closed' : 'mapping.updates_optional')}
                  <span className="mut">{t('mapping.countOf', { count: mapped, total })}</span>
                </button>
                {index === 0 && preview ? (
                  <>
                    <span className="num">{t('mapping.ok')}</span>
                    <span className="num">{t('mapping.emptyShort')}</span>
                    <span className="num">{t('mapping.errorShort')}</span>
                  </>
                ) : null}
              </h3>
              {isOpen ? shown.map(line) : null}
              {isOpen && shown.length < rows.length ? (
                <button type="button" className="link tg-more" onClick={() => toggle(`${group}+`)}>
                  {t('mapping.moreFields', { count: rows.length - shown.length })}
                </button>
              ) : null}
            </div>
          );
        })}
        {isSearching && groups.every(({ rows }) => rows.length === 0) ? (
          <p className="pick-0">{t('mapping.nothingFound')}</p>
        ) : null}
      </ScrollArea>
    </section>
  );
};

const hint = (field: FieldPath): string => (field.help ? `${field.path}\n${field.help}` : field.path);
