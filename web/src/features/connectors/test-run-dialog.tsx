import type { ActionSummary, EndMetadata, Mapping, TestRunResult, Trigger } from '@sluice/contract';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText, isAbort } from '../../platform/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useAction } from './api.ts';
import './connectors.css';
import { NarrowingFields, noNarrowing, queryOf } from './narrowing.tsx';
import { TestRecord } from './test-record.tsx';

const FIRST_LIMIT = '10';

/**
 * What a run would do with some records, with the mappings and triggers given here, saved or not (RUN-05). Nothing is
 * written. `title` names the action.
 */
export const TestRunDialog = ({
  connectorId,
  actionId,
  sources,
  target = null,
  mappings,
  triggers,
  title = '',
  onClose,
}: {
  connectorId: string;
  actionId: string;
  sources: readonly EndMetadata[];
  target?: EndMetadata | null;
  mappings: readonly Mapping[];
  triggers: readonly Trigger[];
  title?: string;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const [narrowing, setNarrowing] = useState(() => noNarrowing(sources[0]?.option.id ?? '', FIRST_LIMIT));
  const [triggerId, setTriggerId] = useState('');
  const [result, setResult] = useState<TestRunResult | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const trigger = triggers.find(({ internalId }) => internalId === triggerId) ?? null;
  const source = sources.find(({ option }) => option.id === narrowing.source) ?? null;
  const run = async (): Promise<void> => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    setBusy(true);
    setFault(null);
    try {
      const answer = await call('testRun', {
        params: { connectorId, actionId },
        body: { mappings: [...mappings], trigger, query: queryOf(narrowing, sources, 100) },
        signal: stop.signal,
      });
      setResult(answer);
    } catch (error) {
      if (!isAbort(error)) {
        setResult(null);
        setFault(errorText(error));
      }
    }
    if (running.current === stop) setBusy(false);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('runs.testTitle', { name: title })}
      width={1120}
      isTall
      footer={
        <>
          <output className="sec">
            {result && !isBusy ? t('runs.results', { count: result.results.length }) : ''}
          </output>
          <span className="sp" />
          {isBusy ? (
            <button type="button" className="btn lg" onClick={() => running.current?.abort()}>
              {t('runs.stop')}
            </button>
          ) : (
            <button type="button" className="btn lg" onClick={onClose}>
              {t('common.close')}
            </button>
          )}
          <button type="button" className="btn primary lg" disabled={isBusy} onClick={() => void run()}>
            {isBusy ? <Icon name="spinner" size="spin" /> : null}
            {t(isBusy ? 'runs.testing' : 'runs.testStart')}
          </button>
        </>
      }
    >
      <form
        className="cn-body"
        style={{ flex: 'none', overflow: 'visible' }}
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p className="note-line">
          <Icon name="info" />
          {t('runs.testNote')}
        </p>
        {triggers.length > 0 ? (
          <div className="cn-inputs">
            <SelectField
              label={t('runs.trigger')}
              value={triggerId}
              options={[
                { value: '', label: t('runs.allRecords') },
                ...triggers.map((one, index) => ({
                  value: one.internalId,
                  label: one.name || t('actions.unnamedTrigger', { number: index + 1 }),
                })),
              ]}
              onChange={setTriggerId}
            />
          </div>
        ) : null}
        <NarrowingFields narrowing={narrowing} sources={sources} onChange={setNarrowing} />
        <button type="submit" className="vh" tabIndex={-1} aria-hidden="true" />
      </form>
      <section
        className="cn-body cn-results"
        aria-label={t('runs.result')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys
        tabIndex={0}
      >
        {fault ? (
          <div className="note-line bad" role="alert">
            <Icon name="danger" />
            <span>
              <b className="b">{t('runs.fetchError')}</b>
              <br />
              {fault}
            </span>
          </div>
        ) : result === null ? (
          <EmptyState icon="eye" title={t('runs.notRun')} />
        ) : result.results.length === 0 ? (
          <EmptyState icon="search" title={t('runs.noMatch')} />
        ) : (
          result.results.map((record) => (
            <TestRecord
              key={record.sourceRecord.internalId}
              record={record}
              source={source}
              target={target}
              trigger={trigger}
            />
          ))
        )}
      </section>
    </Dialog>
  );
};

/** The test run of an action as it is saved. */
export const SavedTestRun = ({
  connectorId,
  action,
  onClose,
}: {
  connectorId: string;
  action: ActionSummary;
  onClose: () => void;
}) => {
  const { data } = useAction(connectorId, action.internalId);
  return data ? (
    <TestRunDialog
      connectorId={connectorId}
      actionId={action.internalId}
      title={action.name}
      sources={data.metadata.sources}
      target={data.metadata.target}
      mappings={data.resource.mappings}
      triggers={data.resource.triggers}
      onClose={onClose}
    />
  ) : null;
};
