import type { Formats } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { call } from '../../platform/call.ts';
import { DocumentationDialog } from '../../ui/documentation-dialog.tsx';

/** The note about a table. */
export const TableDocumentation = ({
  collection,
  title,
  formats,
  onClose,
}: {
  collection: string;
  title: string;
  formats: Formats;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const params = { collection };
  return (
    <DocumentationDialog
      queryKey={['documentation', collection]}
      read={async () => (await call('getDocumentation', { params })).resource}
      save={async (body) => (await call('updateDocumentation', { params, body })).resource}
      title={title}
      emptyText={t('documentation.emptyText')}
      formats={formats}
      onClose={onClose}
    />
  );
};
