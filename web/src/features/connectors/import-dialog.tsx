import type { ConnectorFile } from '@sluice/contract';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useConnectorOptions, useRefresh } from './api.ts';
import { completeEnd, EndPicker, noEnd } from './end-picker.tsx';
import { copyResult, skippedWords } from './copy-words.ts';
import { readConnectorFile } from './transfer.ts';

/** A connector out of a file, between two ends chosen here: from test to production. */
export const ImportDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const { data: options } = useConnectorOptions();
  const [file, setFile] = useState<ConnectorFile | null>(null);
  const [name, setName] = useState('');
  const [source, setSource] = useState(noEnd);
  const [target, setTarget] = useState(noEnd);
  const [fault, setFault] = useState<string | null>(null);
  const [missing, setMissing] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const systems = options?.systems ?? [];
  const take = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return;
    const read = await readConnectorFile(chosen);
    setFile(read);
    setName(read?.name ?? '');
    setFault(read ? null : t('connectors.importBad'));
  };
  const submit = async (): Promise<void> => {
    const sourceSystem = completeEnd(systems, source);
    const targetSystem = completeEnd(systems, target);
    setMissing(sourceSystem && targetSystem ? undefined : t('connectors.required'));
    if (!file || !sourceSystem || !targetSystem) return;
    setBusy(true);
    try {
      const made = await call('importConnector', {
        body: { file, ...(name.trim() ? { name: name.trim() } : {}), sourceSystem, targetSystem },
      });
      await refresh();
      const skipped = skippedWords(made);
      toast(
        skipped === '' ? 'success' : 'warning',
        [t('connectors.importDone', { name: name.trim() || file.name }), copyResult(made), skipped]
          .filter((part) => part !== '')
          .join('. '),
      );
      onClose();
      await navigate({ to: '/connectors/$connectorId/actions', params: { connectorId: made.internalId } });
    } catch (error) {
      setFault(errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('connectors.importTitle')}
      width={680}
      footer={
        <DialogFooter
          onClose={onClose}
          action={{
            label: t('connectors.import'),
            isDisabled: !file || isBusy,
            onClick: () => void submit(),
          }}
        />
      }
    >
      <div className="cn-body">
        <p className="sec">{t('connectors.importText')}</p>
        <div className="dropzone" style={{ padding: 20 }}>
          <Icon name="up" />
          <span>
            {file
              ? t('connectors.importHolds', { name: file.name, count: file.actions.length })
              : t('connectors.importChoose')}
          </span>
          <input
            type="file"
            accept="application/json,.json"
            aria-label={t('connectors.importFile')}
            onChange={(event) => void take(event.target.files?.[0])}
          />
        </div>
        {fault ? (
          <p className="note-line bad" role="alert">
            <Icon name="danger" />
            {fault}
          </p>
        ) : null}
        {file ? (
          <>
            <TextField label={t('common.name')} value={name} onChange={setName} />
            <div className="cn-ends">
              <EndPicker
                title={t('connectors.source')}
                text={t('connectors.sourceText')}
                systems={systems}
                end={source}
                error={missing}
                onChange={setSource}
              />
              <EndPicker
                title={t('connectors.target')}
                text={t('connectors.targetText')}
                systems={systems}
                end={target}
                error={missing}
                onChange={setTarget}
              />
            </div>
          </>
        ) : null}
      </div>
    </Dialog>
  );
};
