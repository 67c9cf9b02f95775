import type { PendingChange, Value } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isArrayField } from '../../grid/edit-plan.ts';
import { type FormatSettings, cellText } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { moment } from '../../platform/time.ts';
import { Icon } from '../../ui/icons.tsx';
import { initialsOf } from '../../ui/initials.ts';
import type { Choice } from './decide.ts';
import { ValueInput } from './value-input.tsx';

export interface CardContext {
  columns: ReadonlyMap<string, GridColumn>;
  settings: FormatSettings;
  systemName: string;
  me: string;
}

/** What may be done from within the review; absent where it only shows (discard). */
export interface CardActions {
  onResolve: (id: string, choice: Choice, field?: string) => void;
  onEdit: (id: string, field: string, value: Value) => void;
}

export const Author = ({ author, me }: { author: { internalId: string; fullName: string }; me: string }) => {
  const { t } = useTranslation();
  const isMe = author.internalId === me;
  return (
    <span className="by" title={author.fullName}>
      <span className={`avatar ${isMe ? '' : 'av-f'}`}>{initialsOf(author.fullName)}</span>
      {isMe ? t('common.you') : (author.fullName.split(' ')[0] ?? author.fullName)}
    </span>
  );
};

export const useValueText = ({ columns, settings }: Pick<CardContext, 'columns' | 'settings'>) => {
  const { t } = useTranslation();
  return (fieldId: string, value: Value | undefined): string => {
    const field = columns.get(fieldId)?.field;
    if (!field) return value === null || value === undefined ? t('common.empty') : String(value);
    const { main, extra } = cellText(value, field, settings);
    return main === '' ? t('common.empty') : extra ? `${main} ${extra}` : main;
  };
};

const canType = (column: GridColumn | undefined): column is GridColumn =>
  column !== undefined && !isArrayField(column.field) && !column.field.isReadOnly;

/** The three values of a cell that changed on both sides, and what can be done about it. */
export const Conflict = ({
  id,
  change,
  context,
  actions,
}: {
  id: string;
  change: PendingChange;
  context: CardContext;
  actions: CardActions | null;
}) => {
  const { t } = useTranslation();
  const text = useValueText(context);
  const [isEditing, setEditing] = useState(false);
  const { fieldName } = change;
  const column = context.columns.get(fieldName);
  const isMine = change.authoredBy.internalId === context.me;
  return (
    <div className="conf">
      <div className="ch">
        <i className="mk mk-invalid" />
        <span>
          <b>{column?.name ?? fieldName}</b> {t('push.conflictText', { system: context.systemName })}
        </span>
      </div>
      <div className="three">
        <div className="col">
          <span className="cap">{t('push.whenStarted')}</span>
          <span className="val">{text(fieldName, change.oldValue)}</span>
        </div>
        <div className="col">
          <span className="cap">{t('push.now', { system: context.systemName })}</span>
          <span className="val">{text(fieldName, change.theirs)}</span>
          {actions ? (
            <span className="pick">
              <button
                type="button"
                className="btn"
                onClick={() => actions.onResolve(id, 'takeTheirs', fieldName)}
              >
                {t('push.takeTheirs')}
              </button>
            </span>
          ) : null}
        </div>
        <div className="col">
          <span className="cap">
            {isMine ? t('push.yourChange') : t('review.changeOf', { name: change.authoredBy.fullName })}
          </span>
          {isEditing && column && actions ? (
            <ValueInput
              column={column}
              value={change.newValue}
              settings={context.settings}
              onCancel={() => setEditing(false)}
              onSave={(value) => {
                setEditing(false);
                actions.onEdit(id, fieldName, value);
              }}
            />
          ) : (
            <>
              <span className="val">{text(fieldName, change.newValue)}</span>
              <span className="by2">{moment(change.authoredAt, context.settings.formats)}</span>
              {actions ? (
                <span className="pick">
                  <button
                    type="button"
                    className="btn"
                    onClick={() => actions.onResolve(id, 'keepMine', fieldName)}
                  >
                    {isMine ? t('push.keepMine') : t('review.keepThis')}
                  </button>
                  {canType(column) ? (
                    <button type="button" className="btn" onClick={() => setEditing(true)}>
                      <Icon name="edit" size="s" />
                      {t('common.edit')}
                    </button>
                  ) : null}
                </span>
              ) : null}
            </>
          )}
        </div>
      </div>
    </div>
  );
};

/** One broken rule: field, message, a way to mend it here, and a way to the cell. */
export const Problem = ({
  id,
  field,
  message,
  value,
  context,
  actions,
  onShow,
}: {
  id: string;
  field: string;
  message: string;
  value: Value;
  context: CardContext;
  actions: CardActions | null;
  onShow: (id: string, field: string | null) => void;
}) => {
  const { t } = useTranslation();
  const [isEditing, setEditing] = useState(false);
  const column = context.columns.get(field);
  const name = column?.name ?? field;
  return (
    <div className="rv-prob">
      <i className="mk mk-invalid" />
      <span className="msg">
        <b>{name}</b> {message}
      </span>
      {isEditing && column && actions ? (
        <ValueInput
          column={column}
          value={value}
          settings={context.settings}
          onCancel={() => setEditing(false)}
          onSave={(next) => {
            setEditing(false);
            actions.onEdit(id, field, next);
          }}
        />
      ) : (
        <>
          {actions && canType(column) ? (
            <button
              type="button"
              className="link"
              aria-label={t('review.mend', { field: name })}
              onClick={() => setEditing(true)}
            >
              {t('common.edit')}
            </button>
          ) : null}
          <button
            type="button"
            className="link"
            aria-label={t('review.toCell', { field: name })}
            onClick={() => onShow(id, field)}
          >
            {t('push.showInTable')}
          </button>
        </>
      )}
    </div>
  );
};
