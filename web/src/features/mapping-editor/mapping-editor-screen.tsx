import type { Action, Mapping, Trigger } from '@sluice/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../platform/call.ts';

/** What the footer's runs are about: they belong to another feature, so that they are handed in. */
interface EditorState {
  connectorId: string;
  actionId: string;
  action: Action;
  mappings: readonly Mapping[];
  triggers: readonly Trigger[];
  isDirty: boolean;
}

/** `/connectors/{connectorId}/actions/{actionId}/mappings-triggers` (S23). */
export const MappingEditorScreen = ({ runs }: { runs?: ((state: EditorState) => ReactNode) | undefined }) => {
  const params = useParams({ from: '/inside/connectors/$connectorId/actions/$actionId/mappings-triggers' });
  const { data } = useQuery({
    queryKey: ['mapping-editor', params.actionId],
    queryFn: () => call('getAction', { params }),
  });
  const action = data?.resource;
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={!action}>
      {action ? (
        <div className="page-in page-h">
          <h1>{action.name}</h1>
          <span className="sp" />
          {runs?.({
            ...params,
            action,
            mappings: action.mappings,
            triggers: action.triggers,
            isDirty: false,
          })}
        </div>
      ) : null}
    </main>
  );
};
