import type { PendingChange, Value } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { moment } from '../../platform/time.ts';
import { Icon } from '../../ui/icons.tsx';
import {
  Author,
  type CardActions,
  type CardContext,
  Conflict,
  Problem,
  useValueText,
} from './card-parts.tsx';
import { type PendingRecord, heldBy } from './selection.ts';

const KIND = {
  add: { key: 'push.kindNew', className: 'new', mark: 'new' },
  update: { key: 'push.kindChanged', className: 'upd', mark: 'you' },
  delete: { key: 'push.kindDeleted', className: 'del', mark: 'deleted' },
} as const;

/** The sign of a record in the review; the same as in the table. */
const markOf = ({ operation }: PendingRecord, me: string): string => {
  if (operation.state === 'beingPushed') return 'pushing';
  if (operation.isGone || operation.state === 'conflict' || operation.state === 'invalid') return 'invalid';
  if (operation.state === 'rejected') return 'rejected';
  if (operation.authoredBy.internalId !== me && operation.action === 'update') return 'others';
  return KIND[operation.action].mark;
};

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

const ChangeLine = ({ change, context }: { change: PendingChange; context: CardContext }) => {
  const text = useValueText(context);
  return (
    <div className="ln">
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
  );
};

/** The present value of a field, as far as the pending operation tells it. */
const valueOf = (record: PendingRecord, field: string): Value =>
  record.operation.changes.find((change) => change.fieldName === field)?.newValue ?? null;

interface Shared {
  record: PendingRecord;
  context: CardContext;
  /** Null: it cannot be ticked now. */
  isTicked: boolean | null;
  onTick: (is: boolean) => void;
  actions: CardActions | null;
  onShow: (id: string, field: string | null) => void;
}

const useName = (record: PendingRecord): string => {
  const { t } = useTranslation();
  return record.label ?? record.key ?? t('push.kindNew');
};

/** One changed cell, where the review lists by field. */
export const ChangeRow = ({
  record,
  change,
  context,
  isTicked,
  onTick,
  actions,
  onShow,
}: Shared & { change: PendingChange }) => {
  const { t } = useTranslation();
  const text = useValueText(context);
  const name = useName(record);
  const { operation } = record;
  const broken = operation.validationErrors.filter((error) => error.field === change.fieldName);
  return (
    <div className="rec rv-row">
      <div className="ln">
        <input
          type="checkbox"
          className="cbx"
          aria-label={t('push.selectRecord', { label: name })}
          checked={isTicked ?? false}
          disabled={isTicked === null}
          onChange={(event) => onTick(event.target.checked)}
        />
        <i className={`mk mk-${markOf(record, context.me)}`} style={{ justifySelf: 'center' }} />
        <span className="nm">
          <button
            type="button"
            className="link trunc plain"
            onClick={() => onShow(operation.id, change.fieldName)}
          >
            {name}
          </button>
          {record.key && record.key !== name ? <span className="id">{record.key}</span> : null}
        </span>
        <span className={`old trunc ${change.oldValue === null ? 'none' : ''}`}>
          {text(change.fieldName, change.oldValue)}
        </span>
        <span className="ar">
          <Icon name="arrowRight" size="s" />
        </span>
        <span className="newv trunc">{text(change.fieldName, change.newValue)}</span>
        <Author author={change.authoredBy} me={context.me} />
      </div>
      {broken.map((error) => (
        <Problem
          key={error.message}
          id={operation.id}
          field={error.field}
          message={error.message}
          value={change.newValue}
          context={context}
          actions={actions}
          onShow={onShow}
        />
      ))}
      {change.theirs === undefined ? null : (
        <Conflict id={operation.id} change={change} context={context} actions={actions} />
      )}
    </div>
  );
};

/** One record of the review: what it is, its old and new values, what stands in its way. */
export const RecordCard = ({
  record,
  author = null,
  context,
  isTicked,
  onTick,
  actions,
  onShow,
}: Shared & {
  /** Lists only what this user changed. */
  author?: string | null;
}) => {
  const { t } = useTranslation();
  const name = useName(record);
  const { operation } = record;
  const kind = KIND[operation.action];
  const changes = operation.changes.filter(
    (change) => author === null || change.authoredBy.internalId === author,
  );
  const conflicts = changes.filter((change) => change.theirs !== undefined);
  const plain = changes.filter((change) => change.theirs === undefined);
  const [error] = operation.pushErrors;
  const errorText = operation.pushErrors
    .map((one) => {
      const column = one.field ? context.columns.get(one.field)?.name : undefined;
      return column ? `${column}: ${one.msg}` : one.msg;
    })
    .join(' · ');
  return (
    <div className="rec">
      <div className="hd">
        <input
          type="checkbox"
          className="cbx"
          aria-label={t('push.selectRecord', { label: name })}
          checked={isTicked ?? false}
          disabled={isTicked === null}
          title={heldBy(record) === 'pushing' ? t('table.statePushing') : undefined}
          onChange={(event) => onTick(event.target.checked)}
        />
        <i className={`mk mk-${markOf(record, context.me)}`} style={{ justifySelf: 'center' }} />
        <span className="nm">
          <button type="button" className="link trunc plain" onClick={() => onShow(operation.id, null)}>
            {name}
          </button>
          {record.key && record.key !== name ? <span className="id">{record.key}</span> : null}
          <span className={`kind ${kind.className}`}>{t(kind.key)}</span>
          {operation.origin.run ? (
            <span className="id trunc">{t('table.originRun', operation.origin.run)}</span>
          ) : null}
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
            {actions ? (
              <>
                <button
                  type="button"
                  className="btn"
                  onClick={() => actions.onResolve(operation.id, 'insertAgain')}
                >
                  {t('push.insertAgain')}
                </button>
                <button
                  type="button"
                  className="btn"
                  onClick={() => actions.onResolve(operation.id, 'discard')}
                >
                  {t('push.dropChange')}
                </button>
              </>
            ) : null}
          </div>
        </div>
      ) : null}
      {operation.isOutcomeUnknown ? (
        <p className="note-line warn rv-note">
          <Icon name="warning" />
          {t('push.unknownOutcome', { system: context.systemName })}
        </p>
      ) : error && conflicts.length === 0 ? (
        <p className="note-line bad rv-note">
          <Icon name="danger" />
          <span className="sp">
            {t('push.rejectedAgain', {
              time: moment(error.at, context.settings.formats),
              message: errorText,
            })}
          </span>
          <button type="button" className="link" onClick={() => onShow(operation.id, error.field)}>
            {t('push.showInTable')}
          </button>
        </p>
      ) : null}
      {operation.state === 'invalid'
        ? operation.validationErrors.map((broken) => (
            <Problem
              key={`${broken.field} ${broken.message}`}
              id={operation.id}
              field={broken.field}
              message={broken.message}
              value={valueOf(record, broken.field)}
              context={context}
              actions={actions}
              onShow={onShow}
            />
          ))
        : null}
      {operation.action === 'add' ? (
        <NewFields record={record} context={context} />
      ) : operation.action === 'update' ? (
        plain.map((change) => <ChangeLine key={change.fieldName} change={change} context={context} />)
      ) : null}
      {conflicts.map((change) => (
        <Conflict
          key={change.fieldName}
          id={operation.id}
          change={change}
          context={context}
          actions={actions}
        />
      ))}
    </div>
  );
};
