import type { PendingChange, Value } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { type FormatSettings, cellText } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { moment } from '../../platform/time.ts';
import { Icon } from '../../ui/icons.tsx';
import { initialsOf } from '../../ui/initials.ts';
import type { PendingRecord } from './selection.ts';

export interface CardContext {
  columns: ReadonlyMap<string, GridColumn>;
  settings: FormatSettings;
  systemName: string;
  me: string;
}

type Choice = 'keepMine' | 'takeTheirs' | 'insertAgain' | 'discard';

const Author = ({ author, me }: { author: { internalId: string; fullName: string }; me: string }) => {
  const { t } = useTranslation();
  const isMe = author.internalId === me;
  return (
    <span className="by" title={author.fullName}>
      <span className={`avatar ${isMe ? '' : 'av-f'}`}>{initialsOf(author.fullName)}</span>
      {isMe ? t('common.you') : (author.fullName.split(' ')[0] ?? author.fullName)}
    </span>
  );
};

export const useValueText = ({ columns, settings }: CardContext) => {
  const { t } = useTranslation();
  return (fieldId: string, value: Value | undefined): string => {
    const field = columns.get(fieldId)?.field;
    if (!field) return value === null || value === undefined ? t('common.empty') : String(value);
    const { main, extra } = cellText(value, field, settings);
    return main === '' ? t('common.empty') : extra ? `${main} ${extra}` : main;
  };
};

const Conflict = ({
  change,
  context,
  onResolve,
}: {
  change: PendingChange;
  context: CardContext;
  onResolve: (choice: Choice, field: string) => void;
}) => {
  const { t } = useTranslation();
  const text = useValueText(context);
  const { fieldName } = change;
  return (
    <div className="conf">
      <div className="ch">
        <i className="mk mk-invalid" />
        <span>
          <b>{context.columns.get(fieldName)?.name ?? fieldName}</b>{' '}
          {t('push.conflictText', { system: context.systemName })}
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
          <span className="pick">
            <button type="button" className="btn" onClick={() => onResolve('takeTheirs', fieldName)}>
              {t('push.takeTheirs')}
            </button>
          </span>
        </div>
        <div className="col">
          <span className="cap">{t('push.yourChange')}</span>
          <span className="val">{text(fieldName, change.newValue)}</span>
          <span className="by2">{moment(change.authoredAt, context.settings.formats)}</span>
          <span className="pick">
            <button type="button" className="btn" onClick={() => onResolve('keepMine', fieldName)}>
              {t('push.keepMine')}
            </button>
          </span>
        </div>
      </div>
    </div>
  );
};

const KIND = {
  add: { key: 'push.kindNew', className: 'new', mark: 'new' },
  update: { key: 'push.kindChanged', className: 'upd', mark: 'you' },
  delete: { key: 'push.kindDeleted', className: 'del', mark: 'deleted' },
} as const;

const NewFields = ({ record, context }: { record: PendingRecord; context: CardContext }) => {
  const { t } = useTranslation();
  const text = useValueText(context);
  const filled = record.operation.changes.filter((change) => change.newValue !== null);
  return (
    <div className="ln">
      <span className="f">{t('push.fields', { count: filled.length })}</span>
      <span className="trunc" style={{ gridColumn: '4 / 7' }}>
        {filled
          .slice(0, 8)
          .map((change) => text(change.fieldName, change.newValue))
          .join(', ')}
      </span>
      <Author author={record.operation.authoredBy} me={context.me} />
    </div>
  );
};

/** One record of the review: what it is, its old and new values, what stands in its way. */
export const RecordCard = ({
  record,
  context,
  isTicked,
  onTick,
  onResolve,
  onShow,
}: {
  record: PendingRecord;
  context: CardContext;
  /** Null: it cannot be ticked now. */
  isTicked: boolean | null;
  onTick: (is: boolean) => void;
  onResolve: (choice: Choice, field?: string) => void;
  onShow: () => void;
}) => {
  const { t } = useTranslation();
  const text = useValueText(context);
  const { operation } = record;
  const kind = KIND[operation.action];
  const name = record.label ?? record.key ?? t('push.kindNew');
  const conflicts = operation.changes.filter((change) => change.theirs !== undefined);
  const plain = operation.changes.filter((change) => change.theirs === undefined);
  const isOthers = operation.authoredBy.internalId !== context.me;
  const mark =
    conflicts.length > 0 || operation.isGone
      ? 'invalid'
      : operation.state === 'rejected'
        ? 'rejected'
        : isOthers && operation.action === 'update'
          ? 'others'
          : kind.mark;
  const [error] = operation.pushErrors;
  return (
    <div className="rec">
      <div className="hd">
        <input
          type="checkbox"
          className="cbx"
          aria-label={t('push.selectRecord', { label: name })}
          checked={isTicked ?? false}
          disabled={isTicked === null}
          onChange={(event) => onTick(event.target.checked)}
        />
        <i className={`mk mk-${mark}`} style={{ justifySelf: 'center' }} />
        <span className="nm">
          <button
            type="button"
            className="link trunc"
            style={{ color: 'inherit', fontWeight: 600 }}
            onClick={onShow}
          >
            {name}
          </button>
          {record.key && record.key !== name ? <span className="id">{record.key}</span> : null}
          <span className={`kind ${kind.className}`}>{t(kind.key)}</span>
        </span>
        {conflicts.length > 0 ? (
          <span className="badge warning">
            <Icon name="warning" size="s" />
            {t('push.conflict', { count: conflicts.length })}
          </span>
        ) : operation.action === 'delete' ? (
          <Author author={operation.authoredBy} me={context.me} />
        ) : (
          <span />
        )}
      </div>
      {operation.isGone ? (
        <div className="conf">
          <div className="ch">
            <i className="mk mk-invalid" />
            <span className="sp">{t('push.gone', { system: context.systemName })}</span>
            <button type="button" className="btn" onClick={() => onResolve('insertAgain')}>
              {t('push.insertAgain')}
            </button>
            <button type="button" className="btn" onClick={() => onResolve('discard')}>
              {t('push.dropChange')}
            </button>
          </div>
        </div>
      ) : null}
      {operation.isOutcomeUnknown ? (
        <p className="note-line warn" style={{ margin: '4px 20px 8px 68px' }}>
          <Icon name="warning" />
          {t('push.unknownOutcome', { system: context.systemName })}
        </p>
      ) : error ? (
        <p className="note-line bad" style={{ margin: '4px 20px 8px 68px' }}>
          <Icon name="danger" />
          <span>
            {t('push.rejectedAgain', {
              time: moment(error.at, context.settings.formats),
              message: operation.pushErrors.map((one) => one.msg).join(' · '),
            })}
          </span>
        </p>
      ) : null}
      {operation.action === 'add' ? (
        <NewFields record={record} context={context} />
      ) : operation.action === 'update' ? (
        plain.map((change) => (
          <div className="ln" key={change.fieldName}>
            <span className="f trunc">{context.columns.get(change.fieldName)?.name ?? change.fieldName}</span>
            <span className={`old trunc ${change.oldValue === null ? 'none' : ''}`}>
              {text(change.fieldName, change.oldValue)}
            </span>
            <span className="ar">
              <Icon name="arrowRight" size="s" />
            </span>
            <span className="newv trunc">{text(change.fieldName, change.newValue)}</span>
            <Author author={change.authoredBy} me={context.me} />
          </div>
        ))
      ) : null}
      {conflicts.map((change) => (
        <Conflict key={change.fieldName} change={change} context={context} onResolve={onResolve} />
      ))}
    </div>
  );
};
