import type { Action, Mapping, Trigger } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction, useConnector } from './api.ts';
import './connectors.css';
import { ManualRunDialog } from './manual-run-dialog.tsx';
import { TestRunDialog } from './test-run-dialog.tsx';

/**
 * Test run and manual run for whoever edits an action: the test takes the mappings and triggers of the screen, saved or
 * not; the run takes what is saved, so that it waits until it is.
 */
export const RunButtons = ({
  connectorId,
  actionId,
  action,
  mappings,
  triggers,
  isDirty,
}: {
  connectorId: string;
  actionId: string;
  action: Action;
  mappings: readonly Mapping[];
  triggers: readonly Trigger[];
  isDirty: boolean;
}) => {
  const { t } = useTranslation();
  const { data } = useAction(connectorId, actionId);
  const connector = useConnector(connectorId);
  const [open, setOpen] = useState<'test' | 'manual' | null>(null);
  const canRun = connector.data?.metadata?.runRights.create === true;
  const close = (): void => setOpen(null);
  return (
    <>
      <button type="button" className="btn lg" disabled={!data} onClick={() => setOpen('test')}>
        {t('actions.testRun')}
      </button>
      {canRun ? (
        <button
          type="button"
          className="btn lg"
          disabled={isDirty || action.mappings.length === 0}
          title={isDirty ? t('runs.saveFirst') : undefined}
          onClick={() => setOpen('manual')}
        >
          {t('actions.manualRun')}
        </button>
      ) : null}
      {open === 'test' && data ? (
        <TestRunDialog
          connectorId={connectorId}
          actionId={actionId}
          title={action.name}
          sources={data.metadata.sources}
          target={data.metadata.target}
          mappings={mappings}
          triggers={triggers}
          onClose={close}
        />
      ) : null}
      {open === 'manual' ? (
        <ManualRunDialog connectorId={connectorId} actionId={actionId} name={action.name} onClose={close} />
      ) : null}
    </>
  );
};
