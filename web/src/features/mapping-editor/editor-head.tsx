import type { Action, ActionMetadata, Connector, EndMetadata } from '@sluice/contract';
import { useRouter } from '@tanstack/react-router';
import type { KeyboardEvent, MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import { type ActionIds, useSourceCounts } from './api.ts';
import type { Tab } from './editor.tsx';

/** Which of several sources is looked at, with how many records each has. */
const SourceChoice = ({
  ids,
  sources,
  at,
  onChange,
}: {
  ids: ActionIds;
  sources: readonly EndMetadata[];
  at: number;
  onChange: (index: number) => void;
}) => {
  const { t } = useTranslation();
  const readable = sources.filter(({ problem }) => problem === null);
  const counts = useSourceCounts(
    ids,
    readable.map(({ option }) => option.id),
  );
  const nameOf = (source: EndMetadata): string => {
    const known = counts[readable.indexOf(source)];
    const { name } = source.option;
    if (!known) return name;
    return t(known.isMore ? 'mapping.sourceAtLeast' : 'mapping.sourceCount', { name, count: known.count });
  };
  return (
    <span className="inp sm">
      <select
        aria-label={t('mapping.source')}
        value={at}
        onChange={(event) => onChange(Number(event.target.value))}
      >
        {sources.map((source, index) => (
          <option key={source.option.id} value={index}>
            {nameOf(source)}
          </option>
        ))}
      </select>
    </span>
  );
};

/** Where this is, which way records go, and the tabs. */
export const EditorHead = ({
  ids,
  connector,
  action,
  metadata,
  sourceAt,
  onSource,
  tabs,
  tab,
  onTab,
  canUndo,
  canRedo,
  canEdit,
  onUndo,
  onRedo,
  onVersions,
}: {
  ids: ActionIds;
  connector: Connector;
  action: Action;
  metadata: ActionMetadata;
  sourceAt: number;
  onSource: (index: number) => void;
  tabs: readonly { id: Tab; label: string; count: string; errors: number }[];
  tab: Tab;
  onTab: (tab: Tab) => void;
  canUndo: boolean;
  canRedo: boolean;
  canEdit: boolean;
  onUndo: () => void;
  onRedo: () => void;
  onVersions: () => void;
}) => {
  const { t } = useTranslation();
  const router = useRouter();
  const link = (href: string, text: string) => (
    <a
      href={href}
      className="trunc"
      onClick={(event: MouseEvent) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        router.history.push(href);
      }}
    >
      {text}
    </a>
  );
  const handleArrows = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex(({ id }) => id === tab);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onTab(next.id);
    document.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  const target = metadata.target?.option.name ?? action.wiring.targets[0]?.optionId ?? '';
  return (
    <>
      <div className="crumb">
        <nav className="path" aria-label={t('mapping.path')}>
          {link('/connectors', t('mapping.connectors'))}
          <Icon name="chevronRight" size="xs" />
          {link(`/connectors/${connector.internalId}`, connector.name)}
          <Icon name="chevronRight" size="xs" />
        </nav>
        <h1 className="trunc">{action.name}</h1>
        <span className={`badge ${action.isActive ? 'success' : 'grey'}`}>
          <Icon name={action.isActive ? 'success' : 'pause'} size="s" />
          {action.isActive ? t('mapping.active') : t('mapping.inactive')}
        </span>
        <span className="sp" />
        <span className="way">
          {metadata.sources.length > 1 ? (
            <SourceChoice ids={ids} sources={metadata.sources} at={sourceAt} onChange={onSource} />
          ) : (
            <span className="trunc">
              <span className="sys-n">{connector.sourceName} </span>
              <b>{metadata.sources[0]?.option.name}</b>
            </span>
          )}
          <Icon name="arrowRight" size="xs" />
          <span className="trunc">
            <span className="sys-n">{connector.targetName} </span>
            <b>{target}</b>
          </span>
        </span>
      </div>
      <div className="mp-tabs">
        <div className="tabs" role="tablist" aria-label={t('mapping.title')}>
          {tabs.map(({ id, label, count, errors }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`tab-${id}`}
              aria-controls={`panel-${id}`}
              aria-selected={id === tab}
              tabIndex={id === tab ? 0 : -1}
              className={`${id === tab ? 'on' : ''} ${errors > 0 ? 'err' : ''}`}
              onClick={() => onTab(id)}
              onKeyDown={handleArrows}
            >
              {label}{' '}
              <span className="n">{errors > 0 ? t('mapping.errorCount', { count: errors }) : count}</span>
            </button>
          ))}
        </div>
        <span className="sp" />
        {canEdit ? (
          <>
            <button
              type="button"
              className="iconbtn"
              aria-label={t('common.undo')}
              title={`${t('common.undo')} (Ctrl+Z)`}
              disabled={!canUndo}
              onClick={onUndo}
            >
              <Icon name="undo" />
            </button>
            <button
              type="button"
              className="iconbtn"
              aria-label={t('mapping.redo')}
              title={`${t('mapping.redo')} (Ctrl+Y)`}
              disabled={!canRedo}
              onClick={onRedo}
            >
              <Icon name="redo" />
            </button>
          </>
        ) : null}
        <button type="button" className="btn ghost" onClick={onVersions}>
          <Icon name="clock" size="s" />
          {t('mapping.versions')}
        </button>
      </div>
    </>
  );
};
