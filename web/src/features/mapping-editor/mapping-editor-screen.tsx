import type { Action, Mapping, Trigger } from '@sluice/contract';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorView } from '../../ui/error-view.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { type ActionIds, useAction, useConnector } from './api.ts';
import { Editor } from './editor.tsx';
import './mapping-editor.css';
import './mapping-parts.css';

/** What the footer's runs are about: they belong to another feature, so that they are handed in. */
export interface EditorState extends ActionIds {
  action: Action;
  mappings: readonly Mapping[];
  triggers: readonly Trigger[];
  /** The mappings are not those that are saved. */
  isDirty: boolean;
  hasErrors: boolean;
}

/** `/connectors/{connectorId}/actions/{actionId}/mappings-triggers` (S23). */
export const MappingEditorScreen = ({ runs }: { runs?: ((state: EditorState) => ReactNode) | undefined }) => {
  const { t } = useTranslation();
  const ids = useParams({ from: '/inside/connectors/$connectorId/actions/$actionId/mappings-triggers' });
  const action = useAction(ids);
  const connector = useConnector(ids.connectorId);
  usePageTitle(action.data ? `${t('mapping.title')} ${action.data.resource.name}` : t('mapping.title'));
  const error = action.error ?? connector.error;
  if (error) {
    return <ErrorView error={error} />;
  }
  if (!action.data || !connector.data) {
    return (
      <main className="mp-root" id="main" tabIndex={-1} aria-busy="true">
        <div className="mp-skel">
          {[300, 260, 340, 220, 280, 240].map((width) => (
            <span key={width} className="skel" style={{ width }} />
          ))}
        </div>
      </main>
    );
  }
  return (
    <Editor
      key={`${ids.actionId}`}
      ids={ids}
      saved={action.data.resource}
      metadata={action.data.metadata}
      connector={connector.data.resource}
      canEdit={connector.data.metadata?.rights.update === true}
      runs={runs}
    />
  );
};
