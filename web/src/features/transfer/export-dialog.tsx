import type { QueryInput, exportRecords } from '@sluice/contract';
import { paths } from '@sluice/contract/paths';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, Switch } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';

type ExportQuery = QueryInput<typeof exportRecords>;
const FORMATS = ['xlsx', 'csvSemicolon', 'csvComma', 'tsv'] as const;
type Format = (typeof FORMATS)[number];

const QUERY: Record<Format, ExportQuery> = {
  xlsx: { format: 'xlsx', headings: 'names' },
  csvSemicolon: { format: 'csv', headings: 'names', delimiter: 'semicolon', byteOrderMark: 'true' },
  csvComma: { format: 'csv', headings: 'names', delimiter: 'comma', byteOrderMark: 'true' },
  tsv: { format: 'csv', headings: 'names', delimiter: 'tab', byteOrderMark: 'true' },
};

/** What the filter matches as a file; the browser saves it while the server still writes it. */
export const ExportDialog = ({
  collection,
  title,
  view,
  total,
  shownColumns,
  onClose,
}: {
  collection: string;
  title: string;
  /** Filter, search and order of the table, as the export takes them. */
  view: Omit<ExportQuery, 'format' | 'columns' | 'delimiter' | 'byteOrderMark' | 'headings'>;
  total: number | null;
  shownColumns: readonly string[];
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const [format, setFormat] = useState<Format>('xlsx');
  const [isShownOnly, setShownOnly] = useState(true);
  const [fault, setFault] = useState<string | null>(null);
  const [isChecking, setChecking] = useState(false);
  const save = async (): Promise<void> => {
    const given = { ...view, ...QUERY[format], ...(isShownOnly ? { columns: shownColumns.join(',') } : {}) };
    setFault(null);
    setChecking(true);
    try {
      // The browser saves whatever comes by the link: what cannot be made is told here instead.
      await call('checkExport', { params: { collection }, query: given });
    } catch (error) {
      setFault(errorText(error));
      return;
    } finally {
      setChecking(false);
    }
    const query: Record<string, string> = {};
    for (const [name, value] of Object.entries(given))
      if (value !== undefined && value !== '') query[name] = String(value);
    const link = document.createElement('a');
    link.href = `${paths.exportRecords[1].replace('{collection}', collection)}?${new URLSearchParams(query).toString()}`;
    link.download = '';
    link.click();
    onClose();
  };
  const isFiltered = view.filter !== undefined || view.search !== undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('transfer.exportTitle', { title })}
      subtitle={
        total === null
          ? undefined
          : t(isFiltered ? 'transfer.exportFiltered' : 'transfer.exportAll', { count: total })
      }
      footer={
        <DialogFooter
          onClose={onClose}
          action={{ label: t('table.export'), isDisabled: isChecking, onClick: () => void save() }}
        />
      }
    >
      <div style={{ padding: '0 20px 20px', display: 'grid', gap: 14 }}>
        {fault === null ? null : (
          <p className="note-line bad" role="alert">
            <Icon name="danger" />
            {fault}
          </p>
        )}
        <SelectField
          label={t('transfer.format')}
          value={format}
          options={FORMATS.map((value) => ({ value, label: t(`transfer.${value}`) }))}
          onChange={(value) => {
            setFormat(value as Format);
            setFault(null);
          }}
        />
        <Switch label={t('transfer.shownOnly')} isOn={isShownOnly} onChange={setShownOnly} />
        <p className="note-line">
          <Icon name="info" />
          {t('transfer.exportNote')}
        </p>
      </div>
    </Dialog>
  );
};
