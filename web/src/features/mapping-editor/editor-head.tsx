import type { Action, ActionMetadata, Connector } from '@sluice/contract';
import { useRouter } from '@tanstack/react-router';
import type { KeyboardEvent, MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import type { Tab } from './editor.tsx';

/** Where this is, which way records go, and the tabs. */
export const EditorHead = ({
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
            <span className="inp sm">
              <select
                aria-label={t('mapping.source')}
                value={sourceAt}
                onChange={(event) => onSource(Number(event.target.value))}
              >
                {metadata.sources.map(({ option }, index) => (
                  <option key={option.id} value={index}>
                    {option.name}
                  </option>
                ))}
              </select>
            </span>
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
