import type { FieldPath, Value } from '@sluice/contract';
import { fileKindOfBase64 } from '@sluice/mapping';
import { macroOf } from '@sluice/mapping/engine';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../platform/i18n/i18n.ts';
import { Icon } from '../../ui/icons.tsx';
import { entryOf, mappingOf } from './edit-mappings.ts';
import type { Preview } from './preview.ts';
import { RecordTrace } from './record-trace.tsx';
import { useWorkspace } from './workspace.ts';
import { mostOf, recordWords, shownValue } from './words.ts';
import { ScrollArea } from './scroll-area.tsx';

const MOST_ROWS = 200;
type Show = 'all' | 'errors' | 'empty';
const shows: readonly Show[] = ['all', 'errors', 'empty'];

/** What a record is called: its label, otherwise its key. */
const useRecordName = () => {
  const { source, samples } = useWorkspace();
  return (row: number): { name: string; key: string } => {
    const key = samples?.keys[row] ?? '';
    const label = source.labelField ? shownValue(samples?.records[row]?.[source.labelField] ?? null) : '';
    return { name: label || key, key: label ? key : '' };
  };
};

/** The rows to show: errors first where that is wanted, then as the source has them. */
const rowsOf = (preview: Preview, show: Show, search: string, textOf: (row: number) => string): number[] => {
  const isEmpty = (row: number): boolean => {
    const value = preview.values[row] ?? null;
    return (value === null || value === '') && !preview.errors.has(row);
  };
  const wanted = search.trim().toLowerCase();
  const all = Array.from({ length: preview.size }, (_, row) => row).filter(
    (row) => wanted === '' || textOf(row).toLowerCase().includes(wanted),
  );
  if (show === 'empty') return all.filter(isEmpty);
  if (show === 'errors')
    return [
      ...all.filter((row) => preview.errors.has(row)),
      ...all.filter((row) => !preview.errors.has(row)),
    ];
  return all;
};

/** A file's content is shown by its kind (MAP-18), all other values as they are. */
const useShown = (field: FieldPath) => {
  const { t } = useTranslation();
  return (value: Value): string => {
    if (field.format === 'base64' && typeof value === 'string' && value !== '')
      return fileKindOfBase64(value)?.name ?? t('file.unknown');
    const option = field.options?.find((one) => one.value === value);
    return option?.description && option.description !== String(option.value)
      ? `${shownValue(value)} (${option.description})`
      : shownValue(value);
  };
};

const Counts = ({ field, preview }: { field: FieldPath; preview: Preview }) => {
  const { t } = useTranslation();
  const counts = preview.counts.get(field.path);
  if (!counts) return null;
  const most = mostOf(field);
  const bar = (part: number): { flexGrow: number; minWidth: number } => ({ flexGrow: part, minWidth: 6 });
  return (
    <>
      <div
        className="dist"
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a bar of three parts is no file
        role="img"
        aria-label={t('mapping.countsLine', { ok: counts.ok, empty: counts.empty, error: counts.error })}
      >
        {counts.ok > 0 ? <i className="d-ok" style={bar(counts.ok)} /> : null}
        {counts.empty > 0 ? <i className="d-em" style={bar(counts.empty)} /> : null}
        {counts.error > 0 ? <i className="d-er" style={bar(counts.error)} /> : null}
      </div>
      <div className="dl">
        <span>
          <Icon name="check" size="xs" />
          <b data-testid="count-ok">{numeral(counts.ok)}</b> {t('mapping.ok')}
        </span>
        <span>
          <b data-testid="count-empty">{numeral(counts.empty)}</b> {t('mapping.emptyShort')}
        </span>
        <span className={counts.error > 0 ? 'bad' : ''}>
          {counts.error > 0 ? <Icon name="danger" size="xs" /> : null}
          <b data-testid="count-error">{numeral(counts.error)}</b>{' '}
          {t('mapping.errors', { count: counts.error })}
        </span>
        <span className="sp" />
        {most === null ? null : (
          <span>
            {t('mapping.longest')} <b>{numeral(counts.longest)}</b> {t('mapping.ofMost', { count: most })}
          </span>
        )}
      </div>
    </>
  );
};

/** Why a key that the target has yet to give is empty here, in what is written back to the source. */
const NotInTarget = ({ field }: { field: FieldPath }) => {
  const { t } = useTranslation();
  const { place, source, mappings, samples } = useWorkspace();
  const entry = entryOf(mappingOf(mappings, field.path), source.option.id);
  const sources = !entry
    ? []
    : entry.source.type === 'multiple'
      ? entry.source.mergeSources.map((part) => part.source)
      : [entry.source];
  const isOfTarget = sources.some(
    (one) => one.type === 'targetValue' || (one.type === 'macro' && macroOf(one.macroId)?.isOfTarget),
  );
  const count = samples?.targetKeys.filter((key) => key === null).length ?? 0;
  if (place !== 'success' || !isOfTarget || count === 0) return null;
  return <p className="dl-n">{t('mapping.notInTarget', { count })}</p>;
};

/** What the mapping makes of real records, while it is typed. */
export const PreviewPanel = ({
  field,
  problem,
  isLoading,
  isStale,
  onAgain,
}: {
  field: FieldPath | null;
  /** Why there are no records to look at. */
  problem: string | null;
  isLoading: boolean;
  isStale: boolean;
  onAgain: () => void;
}) => {
  const { t } = useTranslation();
  const { preview, source, language } = useWorkspace();
  const [record, setRecord] = useState(0);
  const [show, setShow] = useState<Show>('errors');
  const [search, setSearch] = useState('');
  const nameOf = useRecordName();
  const isMapped = field !== null && preview?.counts.has(field.path) === true;
  const shown = useShown(field ?? noField);
  const rows = useMemo(
    () =>
      preview
        ? rowsOf(preview, show, search, (row) => {
            const { name, key } = nameOf(row);
            return `${name} ${key} ${shownValue(preview.values[row] ?? null)}`;
          })
        : [],
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- names follow from the samples that the preview is of
    [preview, show, search],
  );
  const head = (
    <div className="pv-h">
      <h2>{t('mapping.preview')}</h2>
      <span className="mut tn trunc">
        {preview ? t('mapping.previewOf', { count: preview.size, source: source.option.name }) : null}
      </span>
      <span className="sp" />
      {preview ? (
        <span className="mut tn" title={t('mapping.tookHint')}>
          {t('mapping.took', { count: Math.max(1, Math.round(preview.tookMs)) })}
        </span>
      ) : null}
      <button type="button" className="iconbtn" aria-label={t('mapping.previewAgain')} onClick={onAgain}>
        <Icon name="refresh" size={isLoading || isStale ? 'spin' : 's'} />
      </button>
    </div>
  );
  if (problem !== null || !preview || preview.size === 0 || !field || !isMapped) {
    return (
      <section className="pv" aria-label={t('mapping.preview')}>
        {head}
        {problem !== null ? (
          <p className="note-line bad pv-n" role="alert">
            <Icon name="danger" />
            <span className="sp">{problem}</span>
          </p>
        ) : isLoading ? (
          <div className="pv-s" aria-busy="true">
            {[220, 260, 180, 240].map((width) => (
              <span key={width} className="skel" style={{ width }} />
            ))}
          </div>
        ) : (
          <p className="pick-0">
            {preview?.size === 0
              ? t('mapping.noRecords', { source: source.option.name })
              : t('mapping.previewEmpty')}
          </p>
        )}
      </section>
    );
  }
  const row = Math.min(record, preview.size - 1);
  return (
    <section className="pv" aria-label={t('mapping.preview')} aria-busy={isStale}>
      {head}
      <Counts field={field} preview={preview} />
      <NotInTarget field={field} />
      <RecordTrace
        field={field}
        row={row}
        name={nameOf(row)}
        onRow={(next) => setRecord((next + preview.size) % preview.size)}
      />
      <div className="pv-f">
        <fieldset className="seg">
          <legend className="vh">{t('mapping.showRecords')}</legend>
          {shows.map((one) => (
            <button
              type="button"
              key={one}
              className={show === one ? 'on' : ''}
              aria-pressed={show === one}
              onClick={() => setShow(one)}
            >
              {t(`mapping.show_${one}`)}
            </button>
          ))}
        </fieldset>
        <span className="field find">
          <Icon name="search" size="s" />
          <input
            type="search"
            aria-label={t('mapping.findRecord')}
            placeholder={t('mapping.findRecord')}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </span>
      </div>
      <ScrollArea className="pvt-w" label={t('mapping.showRecords')}>
        <table className="pvt">
          <thead>
            <tr>
              <th scope="col">{t('mapping.record')}</th>
              <th scope="col">{field.name}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_ROWS).map((one) => {
              const error = preview.errors.get(one);
              const value = preview.values[one] ?? null;
              return (
                <tr key={one} className={`${error ? 'er' : ''} ${one === row ? 'on' : ''}`}>
                  <td className="trunc">
                    <button type="button" className="rowbtn trunc" onClick={() => setRecord(one)}>
                      {nameOf(one).name}
                    </button>
                  </td>
                  <td className="trunc" title={error ? recordWords(error, language) : shown(value)}>
                    {error ? (
                      <span className="ee">
                        <Icon name="danger" size="xs" />
                        {recordWords(error, language)}
                      </span>
                    ) : preview.left.has(one) ? (
                      <span className="em">{t('mapping.leftAlone')}</span>
                    ) : value === null || value === '' ? (
                      <span className="em">{t('common.empty')}</span>
                    ) : (
                      shown(value)
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {rows.length === 0 ? <p className="pick-0">{t('mapping.nothingFound')}</p> : null}
        {rows.length > MOST_ROWS ? (
          <p className="pick-0">{t('mapping.firstRows', { count: MOST_ROWS, total: rows.length })}</p>
        ) : null}
      </ScrollArea>
    </section>
  );
};

/** Stands where no field is chosen. */
const noField: FieldPath = {
  id: '',
  path: '',
  name: '',
  kind: 'field',
  isKey: false,
  isMandatory: false,
  isReadOnly: false,
  isReadOnlyOnUpdate: false,
  isHidden: false,
  validations: [],
  group: 'optional',
};
