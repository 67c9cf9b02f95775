import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormatSettings } from '../../grid/format-value.ts';
import { cellText } from '../../grid/format-value.ts';
import { call, errorText } from '../../platform/call.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { pageSize, useDuplicates } from './api.ts';
import {
  type DuplicateColumn,
  type Resource,
  differs,
  plainColumns,
  tellingColumns,
  valueAt,
} from './duplicates-model.ts';
import { FieldsDialog } from './fields-dialog.tsx';
import './duplicates.css';

/** Columns of a group, those of the key left out: they are its heading. */
const MOST_COLUMNS = 8;

const isNumber = ({ field }: DuplicateColumn): boolean =>
  ['int', 'uint', 'float64'].includes(field.dataType ?? '') && !field.options?.length;

/** `…/{resource}/duplicates`: records that share a key, group by group. */
export const DuplicatesScreen = ({
  collection,
  title,
  where,
  domainAcronym,
  settings,
  onBack,
  onOpenForm,
}: {
  collection: string;
  title: string;
  where: string;
  /** Of the domain that the address names, for what an error says. */
  domainAcronym?: string | undefined;
  settings: FormatSettings;
  onBack: () => void;
  onOpenForm: (id: string) => void;
}) => {
  const { t } = useTranslation();
  const [fields, setFields] = useState<readonly string[] | null>(null);
  const [offset, setOffset] = useState(0);
  const [isChoosing, setChoosing] = useState(false);
  const { data, error, refetch, isFetching } = useDuplicates(collection, fields, offset);
  usePageTitle(t('duplicates.titleOf', { title }));
  if (error) return <ErrorView error={error} domain={domainAcronym} />;
  const columns = data ? plainColumns(data.metadata.fieldsMetadata) : [];
  const nameOf = (id: string): string => columns.find((column) => column.id === id)?.name ?? id;
  const shown = (resource: Resource, id: string): string => {
    const field = columns.find((column) => column.id === id)?.field;
    return field ? cellText(valueAt(resource, id), field, settings).main : '';
  };
  const choose = (next: readonly string[]): void => {
    setFields(next);
    setOffset(0);
    setChoosing(false);
  };
  const remove = async (resource: Resource, label: string): Promise<void> => {
    const id = resource.internalId;
    try {
      await call('deleteRecord', { params: { collection, id } });
      toast('success', t('duplicates.deleted', { label }), {
        action: {
          label: t('common.undo'),
          run: () => {
            call('discard', { params: { collection }, body: { insert: [], update: [], delete: [id] } })
              .then(() => refetch())
              .catch((failure: unknown) => toast('error', errorText(failure)));
          },
        },
      });
      await refetch();
    } catch (failure) {
      toast('error', errorText(failure));
    }
  };
  const found = data?.found;
  const used = found?.fields ?? [];
  const groups = (found?.groups ?? []).map((group) => ({
    ...group,
    records: group.ids.flatMap((id) => data?.records.get(id) ?? []),
  }));
  const metadata = data?.metadata;
  const always = [
    ...new Set([...(metadata?.keyFields ?? []), ...(metadata?.labelField ? [metadata.labelField] : [])]),
  ].filter((id) => !used.includes(id));
  const telling = tellingColumns(
    columns,
    groups.map((group) => group.records),
    always,
    used,
    MOST_COLUMNS,
  );
  const canDelete = metadata?.readOnlyReason === null && metadata.isDeleteAllowed;
  const last = Math.min(offset + pageSize, found?.total ?? 0);
  const keys = found?.keys ?? [];
  const isOwnChoice = !keys.some((key) => key.join() === used.join());
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in dup">
        <button type="button" className="link back" onClick={onBack}>
          <Icon name="back" size="s" />
          {t('form.back', { title })}
        </button>
        <div className="page-h" style={{ marginBottom: 0 }}>
          <h1>{t('duplicates.titleOf', { title })}</h1>
          <span className="sub">{where}</span>
        </div>
        <div className="dup-bar">
          <label>
            <span>{t('duplicates.sameValues')}</span>
            <span className="field">
              <select
                value={isOwnChoice ? 'own' : used.join()}
                onChange={(event) => {
                  const { value } = event.target;
                  if (value === 'choose') setChoosing(true);
                  else if (value !== 'own') choose(value.split(','));
                }}
              >
                {keys.map((key) => (
                  <option key={key.join()} value={key.join()}>
                    {key.map(nameOf).join(' + ')}
                  </option>
                ))}
                {isOwnChoice ? <option value="own">{used.map(nameOf).join(' + ') || '–'}</option> : null}
                <option value="choose">{t('duplicates.otherFields')}</option>
              </select>
            </span>
          </label>
          {found && found.total > 0 ? (
            <span className="sec tn">
              {t('duplicates.counts', { groups: found.total, records: found.records })},{' '}
              {t('duplicates.newest')}
            </span>
          ) : null}
          <span className="sp" />
          {isFetching && data ? <Icon name="spinner" size="spin" /> : null}
          {found && found.total > pageSize ? (
            <span className="dup-pages">
              <span className="sec tn">
                {t('duplicates.groupsOf', { from: offset + 1, to: last, total: found.total })}
              </span>
              <button
                type="button"
                className="btn"
                disabled={offset === 0}
                onClick={() => setOffset(Math.max(0, offset - pageSize))}
              >
                {t('duplicates.previous')}
              </button>
              <button
                type="button"
                className="btn"
                disabled={last >= found.total}
                onClick={() => setOffset(offset + pageSize)}
              >
                {t('duplicates.next')}
              </button>
            </span>
          ) : null}
        </div>
        {!data ? (
          <div style={{ display: 'grid', gap: 18, padding: 16 }} aria-busy="true">
            {[420, 620, 540, 580].map((width) => (
              <span key={width} className="skel" style={{ width }} />
            ))}
          </div>
        ) : used.length === 0 ? (
          <EmptyState icon="copy" title={t('duplicates.noKey')} text={t('duplicates.noKeyText')}>
            <button type="button" className="btn primary" onClick={() => setChoosing(true)}>
              {t('duplicates.chooseFields')}
            </button>
          </EmptyState>
        ) : groups.length === 0 ? (
          <EmptyState
            icon="check"
            title={t('duplicates.none')}
            text={t('duplicates.noneText', { fields: used.map(nameOf).join(' + ') })}
          >
            <button type="button" className="btn" onClick={() => setChoosing(true)}>
              {t('duplicates.otherFields')}
            </button>
          </EmptyState>
        ) : (
          groups.map((group) => (
            <section className="card" key={group.ids.join()}>
              <h2 className="dup-h">
                <span>
                  {used.map((field, i) => {
                    const descriptor = columns.find((column) => column.id === field)?.field;
                    const value = group.values[i] ?? null;
                    return (
                      <span key={field}>
                        <span className="mut">{nameOf(field)}</span>{' '}
                        {(descriptor ? cellText(value, descriptor, settings).main : String(value)) ||
                          t('common.empty')}
                      </span>
                    );
                  })}
                </span>
                <span className="n">{t('duplicates.records', { count: group.ids.length })}</span>
              </h2>
              <div style={{ overflowX: 'auto' }}>
                <table className="tbl">
                  <thead>
                    <tr>
                      {telling.map((column) => (
                        <th key={column.id} scope="col" className={isNumber(column) ? 'num' : ''}>
                          {column.name}
                        </th>
                      ))}
                      <th scope="col">
                        <span className="vh">{t('manage.actions')}</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {group.records.map((resource) => {
                      const operation = data.operations.get(resource.internalId);
                      const label =
                        shown(resource, metadata?.labelField ?? '') ||
                        (metadata?.keyFields ?? []).map((key) => shown(resource, key)).join(' ');
                      return (
                        <tr key={resource.internalId}>
                          {telling.map((column, i) => (
                            <td
                              key={column.id}
                              className={`${differs(group.records, column.id) ? 'differs' : 'agrees'} ${isNumber(column) ? 'num' : ''}`}
                            >
                              {i === 0 && operation ? (
                                <i
                                  className={`mk mk-${operation.action === 'add' ? 'new' : 'you'}`}
                                  title={t(operation.action === 'add' ? 'push.kindNew' : 'push.kindChanged')}
                                />
                              ) : null}
                              {shown(resource, column.id)}
                            </td>
                          ))}
                          <td className="acts">
                            <button
                              type="button"
                              className="iconbtn"
                              aria-label={`${t('table.openForm')}: ${label}`}
                              title={t('table.openForm')}
                              onClick={() => onOpenForm(resource.internalId)}
                            >
                              <Icon name="form" />
                            </button>
                            {canDelete || operation?.action === 'add' ? (
                              <button
                                type="button"
                                className="iconbtn"
                                aria-label={`${t('table.deleteOne')}: ${label}`}
                                title={t('table.deleteOne')}
                                onClick={() => void remove(resource, label)}
                              >
                                <Icon name="trash" />
                              </button>
                            ) : null}
                          </td>
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
                {group.ids.length > group.records.length ? (
                  <p className="sec" style={{ padding: '6px 12px', fontSize: 12 }}>
                    {t('duplicates.moreRecords', { count: group.ids.length - group.records.length })}
                  </p>
                ) : null}
              </div>
            </section>
          ))
        )}
      </div>
      {isChoosing ? (
        <FieldsDialog columns={columns} chosen={used} onClose={() => setChoosing(false)} onChoose={choose} />
      ) : null}
    </main>
  );
};
