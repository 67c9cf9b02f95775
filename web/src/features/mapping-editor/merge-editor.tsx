import type { FieldPath, MappingSource, MergeSource } from '@sluice/contract';
import { parseMerge, typeOfSource } from '@sluice/mapping/engine';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import { ChainEditor } from './chain-editor.tsx';
import { addPart, changePart, newSource, removePart } from './edit-mappings.ts';
import { ProblemLines } from './problem-lines.tsx';
import { SourceInput, sourceName } from './source-input.tsx';
import { problemsAt, useWorkspace } from './workspace.ts';

const Part = ({
  part,
  path,
  number,
  isOpen,
  onToggle,
  onChange,
  onRemove,
}: {
  part: MergeSource;
  path: string;
  number: number;
  isOpen: boolean;
  onToggle: () => void;
  onChange: (part: MergeSource, name: string | null) => void;
  onRemove: () => void;
}) => {
  const { t } = useTranslation();
  const workspace = useWorkspace();
  const { problems, canEdit, source: end, targetFields, zone, fns } = workspace;
  const own = problemsAt(problems, path);
  const isWrong = problemsAt(problems, path, true).some(({ severity }) => severity === 'error');
  const name = sourceName(part.source, workspace) || t(`mapping.source_${part.source.type}`);
  return (
    <div className={`src ${isOpen ? 'open' : ''} ${isWrong && !isOpen ? 'bad' : ''}`}>
      <div className="sh">
        <button type="button" className="shb" aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen ? 'chevron' : 'chevronRight'} size="s" />
          <span className="tag">{number}</span>
          <span className="m trunc">{name}</span>
          <span className="sp" />
          {isOpen ? null : (
            <span className="steps trunc">
              {part.transformFns.map(({ fnId }) => fns.get(fnId)?.name ?? fnId).join(' → ')}
            </span>
          )}
        </button>
        {canEdit ? (
          <button
            type="button"
            className="iconbtn"
            aria-label={t('mapping.removeSource', { number })}
            onClick={onRemove}
          >
            <Icon name="trash" size="s" />
          </button>
        ) : null}
      </div>
      {isOpen ? (
        <div className="src-b">
          <SourceInput
            source={part.source}
            isWrong={own.length > 0}
            editName={`${path}.source`}
            onChange={(source, edit) => onChange({ ...part, source }, edit)}
          />
          <ProblemLines problems={own} />
          <ChainEditor
            path={path}
            start={typeOfSource(part.source, { sourceFields: end.fields, targetFields, zone })}
            fns={part.transformFns}
            onChange={(transformFns, edit = null) => onChange({ ...part, transformFns }, edit)}
          />
        </div>
      ) : null}
    </div>
  );
};

/** The merge string with its parts to be put into it at the caret, and what it reads like. */
const MergeString = ({
  entry,
  path,
  onChange,
}: {
  entry: MappingSource;
  path: string;
  /** What is typed is one step of undo, each part put in one of its own. */
  onChange: (mergeString: string, isTyped: boolean) => void;
}) => {
  const { t } = useTranslation();
  const workspace = useWorkspace();
  const input = useRef<HTMLInputElement>(null);
  if (entry.source.type !== 'multiple') return null;
  const { mergeString, mergeSources } = entry.source;
  const problems = problemsAt(workspace.problems, `${path}.source`);
  const parsed = parseMerge(mergeString, mergeSources.length);
  const insert = (number: number): void => {
    const node = input.current;
    const [from, to] = [node?.selectionStart ?? mergeString.length, node?.selectionEnd ?? mergeString.length];
    const chip = `{${number}}`;
    onChange(mergeString.slice(0, from) + chip + mergeString.slice(to), false);
    requestAnimationFrame(() => {
      node?.focus();
      node?.setSelectionRange(from + chip.length, from + chip.length);
    });
  };
  const nameOf = (index: number): string => {
    const part = mergeSources[index];
    return part ? sourceName(part.source, workspace) : '';
  };
  return (
    <div className="merge">
      <div className="lab">
        <label htmlFor={`${path}-ms`}>{t('mapping.mergeString')}</label>
        <span className="sp" />
        {workspace.canEdit
          ? mergeSources.map((_, index) => (
              <button
                type="button"
                // oxlint-disable-next-line react/no-array-index-key -- a part is known by its number
                key={index}
                className="mc"
                title={t('mapping.insertSource', { number: index + 1 })}
                aria-label={t('mapping.insertSource', { number: index + 1 })}
                onClick={() => insert(index + 1)}
              >
                <b>{index + 1}</b>
                <span className="trunc">{nameOf(index)}</span>
              </button>
            ))
          : null}
      </div>
      <span className={`inp ${parsed.isOk ? '' : 'bad'}`}>
        <input
          ref={input}
          id={`${path}-ms`}
          value={mergeString}
          readOnly={!workspace.canEdit}
          aria-invalid={!parsed.isOk}
          aria-describedby={`${path}-mp`}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value, true)}
        />
      </span>
      {parsed.isOk && mergeSources.length > 0 ? (
        <div className="mstr" aria-hidden="true">
          {parsed.pattern.literals.map((literal, index) => {
            const part = parsed.pattern.indexes[index];
            return [
              literal === '' ? null : (
                <span className="lit" key={`l${index}`}>
                  {literal}
                </span>
              ),
              part === undefined ? null : (
                <span className="mc" key={`c${index}`}>
                  <b>{part + 1}</b>
                  {nameOf(part)}
                </span>
              ),
            ];
          })}
        </div>
      ) : null}
      <ProblemLines id={`${path}-mp`} problems={problems} />
    </div>
  );
};

/** Several sources, each with functions of its own, put together by the merge string. */
export const MergeEditor = ({
  entry,
  path,
  onChange,
}: {
  entry: MappingSource;
  path: string;
  field: FieldPath;
  onChange: (entry: MappingSource, name: string | null) => void;
}) => {
  const { t } = useTranslation();
  const { canEdit } = useWorkspace();
  const [open, setOpen] = useState(0);
  if (entry.source.type !== 'multiple') return null;
  const { source } = entry;
  return (
    <div className="parts">
      {source.mergeSources.map((part, index) => (
        <Part
          // oxlint-disable-next-line react/no-array-index-key -- a part is known by its number
          key={index}
          part={part}
          number={index + 1}
          path={`${path}.source.mergeSources[${index}]`}
          isOpen={open === index}
          onToggle={() => setOpen(open === index ? -1 : index)}
          onChange={(next, name) => onChange(changePart(entry, index, next), name)}
          onRemove={() => onChange(removePart(entry, index), null)}
        />
      ))}
      {canEdit ? (
        <button
          type="button"
          className="btn addsrc"
          onClick={() => {
            setOpen(source.mergeSources.length);
            onChange(addPart(entry, { source: newSource('sourceValue'), transformFns: [] }), null);
          }}
        >
          <Icon name="plus" size="s" />
          {t('mapping.addSource')}
        </button>
      ) : null}
      <MergeString
        entry={entry}
        path={path}
        onChange={(mergeString, isTyped) =>
          onChange({ ...entry, source: { ...source, mergeString } }, isTyped ? `${path}.mergeString` : null)
        }
      />
    </div>
  );
};
