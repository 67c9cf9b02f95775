import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@sluice/mapping';
import type { GridController } from '../../grid/controller.ts';
import { countCells, hasWholeRows } from '../../grid/selection.ts';
import { countSelectedRows } from '../../grid/actions.ts';
import { numeral } from '../../platform/i18n/i18n.ts';
import { useStore } from '../../platform/store.ts';
import { daysSince, thisYear } from '../../platform/time.ts';
import { isNarrowed } from './read-columns.ts';
import type { TableSession } from './table-session.ts';
import { RichText } from '../../ui/rich-text.tsx';

const STATES = [
  ['new', 'table.stateNew'],
  ['you', 'table.stateYou'],
  ['others', 'table.stateOthers'],
  ['invalid', 'table.stateInvalid'],
  ['rejected', 'table.stateRejected'],
  ['received', 'table.stateReceived'],
  ['deleted', 'table.stateDeleted'],
  ['pushing', 'table.statePushing'],
] as const;

export const Legend = ({ onHide }: { onHide: () => void }) => {
  const { t } = useTranslation();
  return (
    <section className="legend" aria-label={t('table.legend')}>
      {STATES.map(([mark, key]) => (
        <span className="it" key={mark}>
          <i className={`mk mk-${mark}`} />
          <span className={mark === 'deleted' ? 'strike' : ''}>{t(key)}</span>
        </span>
      ))}
      <span className="sp" />
      <button type="button" className="link hide-n" onClick={onHide}>
        {t('table.hideLegend')}
      </button>
    </section>
  );
};

/** Follows the grid without drawing anew at each frame of a scroll. */
const useGridNumbers = (grid: GridController) => {
  const [, update] = useState(0);
  useEffect(() => {
    let frame = 0;
    const stop = grid.subscribe((event) => {
      if (event === 'layout' || event === 'undo') return;
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => update((count) => count + 1));
    });
    return () => {
      cancelAnimationFrame(frame);
      stop();
    };
  }, [grid]);
};

const Summary = ({ grid }: { grid: GridController }) => {
  const { t } = useTranslation();
  const { settings } = grid;
  const cells = countCells(grid.selection, grid.extent);
  if (cells < 2) return null;
  const summary = grid.summary();
  const shown = (value: number): string =>
    formatNumber(Math.round(value * 100) / 100, settings.formats.numberFormat, { scale: 2 });
  return (
    <span className="grp" aria-live="polite">
      <span>
        {hasWholeRows(grid.selection)
          ? t('table.selRows', { count: countSelectedRows(grid) })
          : t('table.selCells', { count: cells })}
      </span>
      {summary && summary.count > 1 && !summary.isPartial ? (
        <>
          <span title={numeral(summary.count)}>
            <RichText text={t('table.selSum', { value: shown(summary.sum) })} />
          </span>
          <span>
            <RichText text={t('table.selAverage', { value: shown(summary.sum / summary.count) })} />
          </span>
        </>
      ) : null}
    </span>
  );
};

/** What waits longer than this may have been forgotten (decisions Q-PEND-16). */
const OLD_DAYS = 7;

export const TableFooter = ({
  table,
  isLegendOpen,
  onShowLegend,
  onShowReview,
}: {
  table: TableSession;
  isLegendOpen: boolean;
  onShowLegend: () => void;
  /** Opens the review, whose list begins with the problems. */
  onShowReview: () => void;
}) => {
  const { t } = useTranslation();
  const { counts, view } = useStore(table.state);
  const { grid } = table;
  useGridNumbers(grid);
  const { total } = grid.store;
  const shown = total === null ? t('table.counting') : numeral(total);
  const held = counts ? counts.invalid + counts.conflict : 0;
  const days = counts?.oldestAt ? daysSince(counts.oldestAt) : 0;
  return (
    <footer className="foot">
      <span aria-live="polite">
        <RichText text={t(isNarrowed(view) ? 'table.match' : 'table.records', { total: shown })} />
      </span>
      {counts && counts.insert + counts.update + counts.delete > 0 ? (
        <>
          <i className="dot" />
          <span className="grp">
            {counts.insert > 0 ? <span>{t('table.footNew', { count: counts.insert })}</span> : null}
            {counts.update > 0 ? <span>{t('table.footChanged', { count: counts.update })}</span> : null}
            {counts.delete > 0 ? <span>{t('table.footDeleted', { count: counts.delete })}</span> : null}
            {held > 0 ? (
              <button type="button" className="link" onClick={onShowReview} title={t('table.showHeld')}>
                {t('table.footHeld', { count: held })}
              </button>
            ) : null}
            {counts.beingPushed > 0 ? (
              <span>{t('table.footPushing', { count: counts.beingPushed })}</span>
            ) : null}
            {counts.rejected > 0 ? (
              <button type="button" className="link" onClick={onShowReview} title={t('table.showRejected')}>
                {t('table.footRejected', { count: counts.rejected })}
              </button>
            ) : null}
            {days >= OLD_DAYS ? (
              <button type="button" className="link" onClick={onShowReview} title={t('table.showOld')}>
                {t('table.footOld', { count: days })}
              </button>
            ) : null}
          </span>
        </>
      ) : null}
      <span className="sp" />
      <Summary grid={grid} />
      {isLegendOpen ? null : (
        <button type="button" className="link" onClick={onShowLegend}>
          {t('table.showLegend')}
        </button>
      )}
      <i className="dot hide-n" />
      <span className="mut hide-n">{t('common.rightsReserved', { year: thisYear })}</span>
    </footer>
  );
};
