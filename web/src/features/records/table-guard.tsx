import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLeaveQuestion } from '../../ui/unfinished.tsx';
import type { TableSession } from './table-session.ts';

/**
 * Nothing typed is lost unseen: the browser asks before the page closes while a step is on its way or a value could
 * not be saved. Steps go on behind another screen, so only values that were not saved are asked about there. A table
 * that could not be read goes on as soon as there is a line again.
 */
export const TableGuard = ({ table: { grid } }: { table: TableSession }) => {
  const { t } = useTranslation();
  useEffect(() => {
    const goOn = (): void => grid.store.retry();
    window.addEventListener('online', goOn);
    return () => window.removeEventListener('online', goOn);
  }, [grid]);
  const { question } = useLeaveQuestion({
    isUnsaved: () => grid.store.unsavedCells > 0,
    isBusy: () => grid.steps.isRunning || grid.store.unsavedCells > 0,
    text: t('table.leaveText', { count: grid.store.unsavedCells }),
  });
  return question;
};
