import type { TransformFn, Value, ValueType } from '@sluice/contract';
import { checkChain } from '@sluice/mapping/engine';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import { moveFn } from './edit-mappings.ts';
import { FnStep } from './fn-step.tsx';
import { type Pick, PickList } from './pick-list.tsx';
import { useWorkspace, type Workspace } from './workspace.ts';
import { shownValue, typeName } from './words.ts';

/** The types between the steps: before the first, after each. */
const typesAlong = (
  fns: readonly TransformFn[],
  start: ValueType | null,
  { source, targetFields, zone }: Workspace,
): ValueType[] => {
  const context = { sourceFields: source.fields, targetFields, zone };
  const ignore = (): void => undefined;
  return fns.map((_, index) => checkChain(fns.slice(0, index + 1), start, '', context, ignore, ignore));
};

const Connection = ({ type }: { type: ValueType | null }) =>
  type === null || type === 'any' || type === 'unknown' ? (
    <div className="conn none" />
  ) : (
    <div className="conn">
      <span className="ty-b">{typeName(type)}</span>
    </div>
  );

/** Texts in quotes: spaces at their ends are what some functions are about. */
const quoted = (value: Value): string =>
  typeof value === 'string' ? `“${value}”` : shownValue(value) || '∅';

/** Functions to choose from; those that take what comes in stand first in their groups. */
const useFnPicks = (incoming: ValueType | null): readonly Pick[] => {
  const { t } = useTranslation();
  const { metadata } = useWorkspace();
  return useMemo(
    () =>
      metadata.transformFns.map((fn) => {
        const [example] = fn.examples;
        const fits =
          incoming === null ||
          incoming === 'any' ||
          fn.inputTypes.includes(incoming) ||
          fn.inputTypes.includes('any');
        const shown = example
          ? ` ${t('mapping.example', { input: quoted(example.input), output: quoted(example.output) })}`
          : '';
        return {
          value: fn.id,
          label: fn.name,
          group: fn.groupName,
          tag: fits ? undefined : t('mapping.otherType', { types: fn.inputTypes.map(typeName).join(', ') }),
          detail: `${fn.description}${shown}`,
        };
      }),
    [metadata, incoming, t],
  );
};

/** A chain of functions with the type between the steps. */
export const ChainEditor = ({
  path,
  start,
  fns,
  onChange,
  children,
}: {
  path: string;
  /** Type that the chain begins with. */
  start: ValueType | null;
  fns: readonly TransformFn[];
  onChange: (fns: TransformFn[], name?: string | null) => void;
  children?: ReactNode;
}) => {
  const { t } = useTranslation();
  const workspace = useWorkspace();
  const { canEdit } = workspace;
  const [isAdding, setAdding] = useState(false);
  /** A step just added shows its arguments. */
  const [added, setAdded] = useState(-1);
  const [dragged, setDragged] = useState<number | null>(null);
  const types = typesAlong(fns, start, workspace);
  const last = fns.length === 0 ? start : (types.at(-1) ?? null);
  const picks = useFnPicks(last);
  return (
    <div className="chain">
      {children}
      {fns.length > 0 ? (
        <ol className="steps-l">
          {fns.map((fn, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the same function may stand in a chain twice
            <li key={`${index}:${fn.fnId}`}>
              <Connection type={index === 0 ? start : (types[index - 1] ?? null)} />
              <FnStep
                fn={fn}
                path={`${path}.transformFns[${index}]`}
                inputPath={index === 0 ? path : `${path}.transformFns[${index - 1}]`}
                inputType={index === 0 ? start : (types[index - 1] ?? null)}
                index={index}
                count={fns.length}
                isNew={added === index}
                isDragged={dragged === index}
                onDrag={setDragged}
                onDrop={() => {
                  if (dragged !== null && dragged !== index) onChange(moveFn(fns, dragged, index));
                  setDragged(null);
                }}
                onMove={(to) => onChange(moveFn(fns, index, to))}
                onRemove={() => onChange(fns.filter((_, at) => at !== index))}
                onChange={(next, name) =>
                  onChange(
                    fns.map((one, at) => (at === index ? next : one)),
                    name === null ? null : `${path}.transformFns[${index}].${name}`,
                  )
                }
              />
            </li>
          ))}
        </ol>
      ) : null}
      <Connection type={last} />
      {canEdit ? (
        <div className="addfn">
          {isAdding ? (
            <div className="pick-in">
              <PickList
                label={t('mapping.findFunction')}
                picks={picks}
                onClose={() => setAdding(false)}
                onPick={(fnId) => {
                  setAdding(false);
                  setAdded(fns.length);
                  onChange([...fns, { fnId, args: {} }]);
                }}
              />
              <button type="button" className="link" onClick={() => setAdding(false)}>
                {t('common.cancel')}
              </button>
            </div>
          ) : (
            <button type="button" className="btn" onClick={() => setAdding(true)}>
              <Icon name="plus" size="s" />
              {t('mapping.addFunction')}
            </button>
          )}
        </div>
      ) : null}
    </div>
  );
};
