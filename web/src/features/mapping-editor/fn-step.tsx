import type { TransformFn, ValueType } from '@sluice/contract';
import { type KeyboardEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import { MenuButton } from '../../ui/popup-menu.tsx';
import { ClosedArgs, FnArgs } from './fn-args.tsx';
import { ProblemLines } from './problem-lines.tsx';
import { TableStep } from './table-step.tsx';
import { problemsAt, useWorkspace } from './workspace.ts';

/** One function of a chain: its name, its arguments, what is wrong with it. */
export const FnStep = ({
  fn,
  path,
  inputPath,
  inputType,
  index,
  count,
  isNew,
  isDragged,
  onDrag,
  onDrop,
  onMove,
  onRemove,
  onChange,
}: {
  fn: TransformFn;
  path: string;
  /** Where the values that come in were recorded. */
  inputPath: string;
  inputType: ValueType | null;
  index: number;
  count: number;
  isNew: boolean;
  isDragged: boolean;
  onDrag: (index: number | null) => void;
  onDrop: () => void;
  onMove: (to: number) => void;
  onRemove: () => void;
  onChange: (fn: TransformFn, name: string | null) => void;
}) => {
  const { t } = useTranslation();
  const id = useId();
  const { fns, problems, canEdit } = useWorkspace();
  const [isMenu, setMenu] = useState(false);
  const [isToggled, setToggled] = useState(false);
  const descriptor = fns.get(fn.fnId);
  const found = problemsAt(problems, path, true).filter(
    (problem) => !problem.path.includes('.translationTable.rows'),
  );
  const name = descriptor?.name ?? fn.fnId;
  const hasArgs = descriptor !== undefined && descriptor.params.length > 0;
  const isMandatory = descriptor?.params.some((param) => param.isMandatory) ?? false;
  const isOpen = hasArgs && ((isNew && isMandatory) || found.length > 0) !== isToggled;
  const handleMove = (event: KeyboardEvent): void => {
    const to = event.key === 'ArrowUp' ? index - 1 : event.key === 'ArrowDown' ? index + 1 : null;
    if (to === null) return;
    event.preventDefault();
    if (to < 0 || to >= count) return;
    onMove(to);
    // The step has moved: the focus goes with it.
    const list = event.currentTarget.closest('.steps-l');
    requestAnimationFrame(() => list?.querySelectorAll<HTMLElement>(':scope > li .grip')[to]?.focus());
  };
  return (
    <div
      className={`step ${isDragged ? 'dragged' : ''} ${found.some(({ severity }) => severity === 'error') ? 'bad' : ''}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        onDrop();
      }}
    >
      <div className="box">
        {canEdit ? (
          <button
            type="button"
            className="grip"
            draggable
            aria-label={t('mapping.moveStep', { name, at: index + 1, count })}
            title={t('mapping.moveHint')}
            onKeyDown={handleMove}
            onDragStart={(event) => {
              event.dataTransfer.setData('text/plain', name);
              onDrag(index);
            }}
            onDragEnd={() => onDrag(null)}
          >
            <svg className="ic" viewBox="0 0 16 16" aria-hidden="true">
              <path d="M6 4v.1M10 4v.1M6 8v.1M10 8v.1M6 12v.1M10 12v.1" strokeWidth="2" />
            </svg>
          </button>
        ) : null}
        <button
          type="button"
          className="fnname"
          disabled={!hasArgs}
          aria-expanded={hasArgs ? isOpen : undefined}
          aria-describedby={found.length > 0 ? id : undefined}
          title={descriptor?.description}
          onClick={() => setToggled(!isToggled)}
        >
          <span className="m">{name}</span>
          {isOpen || !descriptor ? null : <ClosedArgs fn={fn} descriptor={descriptor} />}
          {hasArgs ? <Icon name={isOpen ? 'chevron' : 'chevronRight'} size="xs" /> : null}
        </button>
        <span className="sp" />
        {canEdit ? (
          <MenuButton
            isOpen={isMenu}
            onChange={setMenu}
            entries={[
              {
                label: t('mapping.moveUp'),
                icon: 'up',
                isDisabled: index === 0,
                onClick: () => onMove(index - 1),
              },
              {
                label: t('mapping.moveDown'),
                icon: 'down',
                isDisabled: index === count - 1,
                onClick: () => onMove(index + 1),
              },
              'divider',
              { label: t('common.remove'), icon: 'trash', isDanger: true, onClick: onRemove },
            ]}
          >
            <button type="button" className="iconbtn" aria-label={t('mapping.stepMenu', { name })}>
              <Icon name="dots" />
            </button>
          </MenuButton>
        ) : null}
      </div>
      {isOpen ? (
        <FnArgs fn={fn} descriptor={descriptor} onChange={(next, param) => onChange(next, param)} />
      ) : null}
      {descriptor?.hasTranslationTable ? (
        <TableStep
          fn={fn}
          path={path}
          inputPath={inputPath}
          inputType={inputType}
          onChange={(next) => onChange(next, null)}
        />
      ) : null}
      <ProblemLines
        id={id}
        problems={found}
        paramName={(param) => descriptor?.params.find((one) => one.id === param)?.name ?? param}
      />
    </div>
  );
};
