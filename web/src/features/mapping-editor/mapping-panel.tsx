import type { FieldPath, MappingSource } from '@sluice/contract';
import { typeOfSource } from '@sluice/mapping/engine';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import { ChainEditor } from './chain-editor.tsx';
import { ConstantInput, constantType } from './constant-input.tsx';
import {
  asMerge,
  asSingle,
  changeMapping,
  entryOf,
  mappingOf,
  newSource,
  withEntry,
  withoutEntry,
} from './edit-mappings.ts';
import { MergeEditor } from './merge-editor.tsx';
import { PickList } from './pick-list.tsx';
import { ProblemLines } from './problem-lines.tsx';
import { SourceInput, targetPicks, useSourcePicks } from './source-input.tsx';
import { problemsAt, useWorkspace } from './workspace.ts';
import { fieldType } from './words.ts';
import { ScrollArea } from './scroll-area.tsx';

/** A field that nothing fills yet: a source field is one key away, everything else one click. */
const Unmapped = ({
  field,
  onEntry,
}: {
  field: FieldPath;
  onEntry: (entry: Omit<MappingSource, 'sourceOptionId'>) => void;
}) => {
  const { t } = useTranslation();
  const { canEdit, source, place, targetFields } = useWorkspace();
  const sourcePicks = useSourcePicks();
  const isAction = place === 'action';
  if (!canEdit) return <p className="unm mut">{t('mapping.nothingMapped')}</p>;
  const start = (made: MappingSource['source']) => () => onEntry({ source: made, transformFns: [] });
  return (
    <div className="unm">
      {source.problem ? (
        <p className="note-line bad" role="alert">
          <Icon name="danger" />
          {source.problem}
        </p>
      ) : null}
      <p className="sec">
        {t(isAction ? 'mapping.pickHint' : 'mapping.pickTargetHint', { field: field.name })}
      </p>
      <div className="pick-in">
        <PickList
          key={field.path}
          hasFocus={false}
          label={t(isAction ? 'mapping.chooseSourceField' : 'mapping.chooseTargetField')}
          picks={isAction ? sourcePicks : targetPicks(targetFields)}
          onPick={(path) =>
            onEntry({
              source: { type: isAction ? 'sourceValue' : 'targetValue', field: path },
              transformFns: [],
            })
          }
        />
      </div>
      <div className="others">
        <span className="mut">{t('mapping.orElse')}</span>
        <button type="button" className="btn" onClick={start(newSource('customValue'))}>
          {t('mapping.source_customValue')}
        </button>
        <button type="button" className="btn" onClick={start(newSource('macro'))}>
          {t('mapping.source_macro')}
        </button>
        <button
          type="button"
          className="btn"
          onClick={start({
            type: 'multiple',
            mergeString: '{1}',
            mergeSources: [{ source: newSource('sourceValue'), transformFns: [] }],
          })}
        >
          {t('mapping.several')}
        </button>
        <button
          type="button"
          className="btn"
          onClick={start(newSource(isAction ? 'targetValue' : 'sourceValue'))}
        >
          {t(isAction ? 'mapping.source_targetValue' : 'mapping.source_sourceValue')}
        </button>
        {place === 'failure' ? (
          <button type="button" className="btn" onClick={start(newSource('responseErrorMessage'))}>
            {t('mapping.source_responseErrorMessage')}
          </button>
        ) : null}
      </div>
    </div>
  );
};

/** How one field gets its value. */
export const MappingPanel = ({ field }: { field: FieldPath }) => {
  const { t } = useTranslation();
  const id = useId();
  const workspace = useWorkspace();
  const { mappings, change, source, targetFields, problems, canEdit, zone, preview, place } = workspace;
  const mapping = mappingOf(mappings, field.path);
  const entry = entryOf(mapping, source.option.id);
  const at = mappings.findIndex(({ targetField }) => targetField === field.path);
  const path = `mappings[${at}]`;
  const entryPath = `${path}.mappingSources[${mapping && entry ? mapping.mappingSources.indexOf(entry) : 0}]`;
  const own = mapping ? problemsAt(problems, path) : [];
  const atEntry = entry ? problemsAt(problems, entryPath) : [];
  const isMerge = entry?.source.type === 'multiple';
  const isMixed = preview?.counts.get(field.path)?.isMixed === true;
  const setEntry = (next: MappingSource, name: string | null): void =>
    change((list) => withEntry(list, field, next), name);
  const wrongDefault = own.filter(({ code }) => code === 'wrongDefault');
  return (
    <section className="mid" aria-label={t('mapping.mappingOf', { field: field.name })}>
      <div className="mh">
        <h2 className="trunc">{field.name}</h2>
        <span className="ty-b">{fieldType(field)}</span>
        {field.group === 'mandatory' ? <span className="ty-b">{t('mapping.group_mandatory')}</span> : null}
        {field.isReadOnly ? <span className="ty-b">{t('mapping.readOnly')}</span> : null}
        {entry && canEdit ? (
          <div className="mh-a">
            <fieldset className="seg">
              <legend className="vh">{t('mapping.sourceKind')}</legend>
              <button
                type="button"
                className={isMerge ? '' : 'on'}
                aria-pressed={!isMerge}
                onClick={() => setEntry(asSingle(entry), null)}
              >
                {t('mapping.oneSource')}
              </button>
              <button
                type="button"
                className={isMerge ? 'on' : ''}
                aria-pressed={isMerge}
                onClick={() => setEntry(asMerge(entry), null)}
              >
                {t('mapping.several')}
              </button>
            </fieldset>
            <button
              type="button"
              className="iconbtn"
              aria-label={t('mapping.removeMapping', { field: field.name })}
              title={t('mapping.removeMapping', { field: field.name })}
              onClick={() => change((list) => withoutEntry(list, field.path, source.option.id))}
            >
              <Icon name="trash" />
            </button>
          </div>
        ) : null}
      </div>
      <ScrollArea className="mid-b" label={t('mapping.mappingOf', { field: field.name })}>
        {field.help ? <p className="mid-help mut">{field.help}</p> : null}
        <div className="mid-p">
          <ProblemLines problems={own.filter(({ code }) => code !== 'wrongDefault')} />
          {isMixed ? (
            <ProblemLines problems={[{ path, severity: 'warning', code: 'mixedBase64', params: {} }]} />
          ) : null}
        </div>
        {!mapping || !entry ? (
          <Unmapped
            field={field}
            onEntry={(made) => setEntry({ ...made, sourceOptionId: source.option.id }, null)}
          />
        ) : (
          <>
            {isMerge ? (
              <MergeEditor
                key={field.path}
                entry={entry}
                path={entryPath}
                field={field}
                onChange={setEntry}
              />
            ) : null}
            {isMerge ? <p className="after mut">{t('mapping.afterMerge')}</p> : null}
            <ChainEditor
              key={`${field.path}:${isMerge}`}
              path={entryPath}
              start={typeOfSource(entry.source, { sourceFields: source.fields, targetFields, zone })}
              fns={entry.transformFns}
              onChange={(transformFns, name = null) => setEntry({ ...entry, transformFns }, name)}
            >
              {entry.source.type === 'multiple' ? null : (
                <SourceInput
                  source={entry.source}
                  target={entry.transformFns.length === 0 ? field : undefined}
                  isWrong={atEntry.length > 0}
                  editName={`${entryPath}.source`}
                  onChange={(next, name) => setEntry({ ...entry, source: next }, name)}
                />
              )}
              <ProblemLines problems={atEntry} />
            </ChainEditor>
            <div className="opts">
              <div>
                <div className="lab" id={`${id}-d`}>
                  {t('mapping.whenEmpty')}
                </div>
                <ConstantInput
                  key={field.path}
                  label={t('mapping.whenEmpty')}
                  type={constantType(field)}
                  options={field.options}
                  value={mapping.defaultValue}
                  placeholder={t('mapping.noDefault')}
                  isWrong={wrongDefault.length > 0}
                  isDisabled={!canEdit}
                  onChange={(defaultValue) =>
                    change(
                      (list) => changeMapping(list, field.path, (one) => ({ ...one, defaultValue })),
                      `${path}.default`,
                    )
                  }
                />
                <ProblemLines problems={wrongDefault} />
              </div>
              {place === 'action' ? (
                <div className="cks">
                  <label className="ck" title={t('mapping.uniqueHint')}>
                    <input
                      type="checkbox"
                      className="cbx"
                      checked={mapping.isUnique}
                      disabled={!canEdit}
                      onChange={(event) => {
                        const isUnique = event.target.checked;
                        change((list) => changeMapping(list, field.path, (one) => ({ ...one, isUnique })));
                      }}
                    />
                    {t('mapping.unique')}
                  </label>
                  <label className="ck" title={t('mapping.ignoreHint')}>
                    <input
                      type="checkbox"
                      className="cbx"
                      checked={mapping.ignoreOnLaterRuns}
                      disabled={!canEdit}
                      onChange={(event) => {
                        const ignoreOnLaterRuns = event.target.checked;
                        change((list) =>
                          changeMapping(list, field.path, (one) => ({ ...one, ignoreOnLaterRuns })),
                        );
                      }}
                    />
                    {t('mapping.ignoreLater')}
                  </label>
                </div>
              ) : null}
            </div>
          </>
        )}
      </ScrollArea>
    </section>
  );
};
