import type { ActionMetadata, EndMetadata, FieldPath, Mapping } from '@sluice/contract';
import type { Lookup, MappingPlace, MappingProblem } from '@sluice/mapping/engine';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../platform/call.ts';
import { currentLanguage } from '../../platform/i18n/i18n.ts';
import { type ActionIds, useSamples } from './api.ts';
import { FieldList } from './field-list.tsx';
import { missingFields } from './field-rows.ts';
import { MappingPanel } from './mapping-panel.tsx';
import type { PreviewInput } from './preview.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { Start } from './start.tsx';
import { usePreview } from './use-preview.ts';
import { type Workspace, WorkspaceProvider } from './workspace.ts';

/** Fields on the left, the chosen one's mapping in the middle, what it makes of real records on the right. */
export const Workbench = ({
  ids,
  metadata,
  source,
  place,
  written,
  mappings,
  problems,
  change,
  lookup,
  zone,
  canEdit,
  chosen,
  onChoose,
  above,
}: {
  ids: ActionIds;
  metadata: ActionMetadata;
  source: EndMetadata;
  place: MappingPlace;
  written: readonly FieldPath[];
  mappings: readonly Mapping[];
  problems: readonly MappingProblem[];
  change: Workspace['change'];
  lookup: Lookup;
  zone: string;
  canEdit: boolean;
  chosen: string | null;
  onChoose: (path: string) => void;
  above?: ReactNode;
}) => {
  const { t, i18n } = useTranslation();
  const language = i18n.language === 'nl' ? 'NL' : currentLanguage();
  const samples = useSamples(ids, source.problem === null ? source.option.id : null);
  const [again, setAgain] = useState(0);
  const shownMappings = useDeferredValue(mappings);
  const targetFields = useMemo(() => metadata.target?.fields ?? [], [metadata]);
  const input = useMemo(
    (): PreviewInput | null =>
      samples.data
        ? {
            mappings: shownMappings,
            source,
            targetFields: [...targetFields],
            writtenFields: [...written],
            samples: samples.data,
            outcome:
              place === 'action'
                ? null
                : {
                    status: place === 'success' ? 'succeeded' : 'rejected',
                    errorText: place === 'failure' ? t('mapping.sampleError') : null,
                  },
            chosen,
            zone,
            lookup,
          }
        : null,
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `again` asks for the same once more
    [samples.data, shownMappings, source, targetFields, written, place, chosen, zone, lookup, again],
  );
  const { preview, problem, isStale } = usePreview(input);
  const fns = useMemo(() => new Map(metadata.transformFns.map((fn) => [fn.id, fn])), [metadata]);
  const macros = useMemo(
    () => metadata.macros.filter((macro) => place !== 'action' || !macro.isForSourceUpdates),
    [metadata, place],
  );
  const workspace = useMemo(
    (): Workspace => ({
      ids,
      place,
      metadata,
      source,
      targetFields,
      written,
      macros,
      fns,
      mappings,
      change,
      problems,
      samples: samples.data ?? null,
      preview,
      zone,
      language,
      canEdit,
    }),
    [
      ids,
      place,
      metadata,
      source,
      targetFields,
      written,
      macros,
      fns,
      mappings,
      change,
      problems,
      samples.data,
      preview,
      zone,
      language,
      canEdit,
    ],
  );
  const field = written.find(({ path }) => path === chosen) ?? null;
  const readProblem = source.problem ?? (samples.error ? errorText(samples.error) : problem);
  return (
    <WorkspaceProvider value={workspace}>
      {above}
      <div className="mp">
        <FieldList chosen={chosen} onChoose={onChoose} />
        {field ? (
          <MappingPanel key={`${source.option.id}:${field.path}`} field={field} />
        ) : (
          <Start missing={place === 'action' ? missingFields(written, problems) : []} onChoose={onChoose} />
        )}
        <PreviewPanel
          field={field}
          problem={readProblem}
          isLoading={samples.isFetching || (input !== null && preview === null)}
          isStale={isStale}
          onAgain={() => {
            setAgain(again + 1);
            void samples.refetch();
          }}
        />
      </div>
    </WorkspaceProvider>
  );
};
