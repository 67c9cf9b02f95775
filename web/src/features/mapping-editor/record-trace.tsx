import type { FieldPath, Value } from '@sluice/contract';
import type { StepColumn } from '@sluice/mapping/engine';
import { useTranslation } from 'react-i18next';
import { FileDownload, useFileContent } from '../../ui/file-content.tsx';
import { Icon } from '../../ui/icons.tsx';
import { entryOf, mappingOf } from './edit-mappings.ts';
import { sourceName } from './source-input.tsx';
import { useWorkspace, type Workspace } from './workspace.ts';
import { mostOf, recordWords, shownValue } from './words.ts';

/** A text with its quotes, so that spaces at its ends are seen. */
const Shown = ({ value }: { value: Value }) => {
  const { t } = useTranslation();
  if (value === null || value === '') return <span className="em">{t('common.empty')}</span>;
  if (typeof value !== 'string') return <span className="trunc">{shownValue(value)}</span>;
  // Of the content of a file more than can be seen would only make the page slow.
  const [, before = '', text = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(value.slice(0, 1000)) ?? [];
  return (
    <span className="trunc">
      <span className="q">&quot;{'·'.repeat(before.length)}</span>
      {text}
      <span className="q">{'·'.repeat(after.length)}&quot;</span>
    </span>
  );
};

/** What a mapping to a file gives: its kind and size, and the file itself to look into (decisions C-29). */
const FileResult = ({ text, name }: { text: string; name: string }) => {
  const file = useFileContent(text);
  return (
    <>
      <span className="trunc m">{file.label}</span>
      <FileDownload file={file} name={name} />
    </>
  );
};

/** Which part of a merge a step belongs to; null outside of one. */
const partOf = (path: string): number | null => {
  const found = /mergeSources\[(\d+)\]/.exec(path)?.[1];
  return found === undefined ? null : Number(found);
};

const useStepName = (field: FieldPath) => {
  const { t } = useTranslation();
  const workspace: Workspace = useWorkspace();
  const entry = entryOf(mappingOf(workspace.mappings, field.path), workspace.source.option.id);
  return ({ fnId, path }: StepColumn): string => {
    if (fnId === 'source') {
      const part = partOf(path);
      const source =
        entry?.source.type === 'multiple' ? entry.source.mergeSources[part ?? -1]?.source : entry?.source;
      if (!source) return t('mapping.step_source');
      return sourceName(source, workspace) || t(`mapping.source_${source.type}`);
    }
    if (fnId === 'merge') return t('mapping.step_merge');
    if (fnId === 'default') return t('mapping.step_default');
    return workspace.fns.get(fnId)?.name ?? fnId;
  };
};

/** One record, step by step. */
export const RecordTrace = ({
  field,
  row,
  name,
  onRow,
}: {
  field: FieldPath;
  row: number;
  name: { name: string; key: string };
  onRow: (row: number) => void;
}) => {
  const { t } = useTranslation();
  const { preview, language } = useWorkspace();
  const stepName = useStepName(field);
  if (!preview) return null;
  const error = preview.errors.get(row);
  const value = preview.values[row] ?? null;
  const most = mostOf(field);
  const steps = preview.steps.filter(({ fnId }) => fnId !== 'convert');
  const failedAt = error?.fnIndex === null ? null : error?.path;
  const end = failedAt ? steps.findIndex(({ path, fnId }) => path === failedAt && fnId !== 'source') : -1;
  const length = typeof value === 'string' ? [...value].length : 0;
  return (
    <div className="one">
      <div className="oh">
        <span className="b trunc">{name.name}</span>
        <span className="mut tn trunc">{name.key}</span>
        <span className="sp" />
        <span className="mut tn">{t('mapping.recordAt', { at: row + 1, count: preview.size })}</span>
        <button
          type="button"
          className="iconbtn"
          aria-label={t('mapping.previousRecord')}
          onClick={() => onRow(row - 1)}
        >
          <Icon name="back" size="s" />
        </button>
        <button
          type="button"
          className="iconbtn"
          aria-label={t('mapping.nextRecord')}
          onClick={() => onRow(row + 1)}
        >
          <Icon name="chevronRight" size="s" />
        </button>
      </div>
      <dl className="trace" data-testid="trace">
        {steps.map((step, index) => {
          if (end >= 0 && index > end) return null;
          const part = step.fnId === 'source' ? partOf(step.path) : null;
          return (
            // oxlint-disable-next-line react/no-array-index-key -- the same function may stand in a chain twice
            <div className="tr-r" key={index}>
              <dt className="t">
                {part === null ? null : <b className="tagc">{part + 1}</b>}
                <span className="trunc" title={stepName(step)}>
                  {stepName(step)}
                </span>
              </dt>
              <dd className="v">
                {error && index === end ? (
                  <span className="ee trunc">{recordWords(error, language)}</span>
                ) : (
                  <Shown value={step.values[row] ?? null} />
                )}
              </dd>
            </div>
          );
        })}
        <div className="tr-r res">
          <dt className="t trunc">{field.name}</dt>
          <dd className="v">
            {error ? (
              <span className="ee" title={recordWords(error, language)}>
                <Icon name="danger" size="xs" />
                <span className="trunc">{recordWords(error, language)}</span>
              </span>
            ) : preview.left.has(row) ? (
              <span className="em">{t('mapping.leftAlone')}</span>
            ) : value === null ? (
              <span className="em">{t('common.empty')}</span>
            ) : field.format === 'base64' && typeof value === 'string' && value !== '' ? (
              <FileResult text={value} name={`${field.name} ${name.key || name.name}`} />
            ) : (
              <span className="trunc m">{shownValue(value)}</span>
            )}
            <span className="sp" />
            {most !== null && !error && length > 0 ? (
              <span className="mut tn nowrap">{t('mapping.lengthOf', { count: length, most })}</span>
            ) : null}
          </dd>
        </div>
      </dl>
    </div>
  );
};
