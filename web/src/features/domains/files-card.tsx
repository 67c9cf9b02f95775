import type { Domain } from '@sluice/contract';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { bytesText } from '../../platform/download.ts';
import { ago } from '../../platform/time.ts';
import { Icon } from '../../ui/icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useFiles, useForget } from './api.ts';

/** The files of a domain whose kind takes them: what is there, more of them, fewer of them. */
export const FilesCard = ({
  systemId,
  domain,
  isReadOnly,
}: {
  systemId: string;
  domain: Domain | null;
  isReadOnly: boolean;
}) => {
  const { t } = useTranslation();
  const forget = useForget();
  const input = useRef<HTMLInputElement>(null);
  const files = useFiles(systemId, domain?.internalId ?? null);
  const [busyWith, setBusyWith] = useState<string | null>(null);
  const list = files.data?.resources ?? [];
  const params = { systemId, domainId: domain?.internalId ?? '' };

  const upload = async (chosen: readonly File[]): Promise<void> => {
    try {
      for (const file of chosen) {
        setBusyWith(file.name);
        await call('uploadFile', { params: { ...params, name: file.name }, file });
      }
      toast('success', t('manage.uploaded', { count: chosen.length }));
    } catch (error) {
      toast('error', errorText(error));
    }
    setBusyWith(null);
    await forget();
  };
  const remove = async (name: string): Promise<void> => {
    try {
      await call('deleteFile', { params: { ...params, name } });
    } catch (error) {
      toast('error', errorText(error));
    }
    await forget();
  };
  return (
    // What is hidden from eyes is placed within the card, not below the page.
    <section className="card" style={{ position: 'relative' }}>
      <h2 className="sect">{t('manage.files')}</h2>
      {domain === null ? (
        <p className="sec" style={{ padding: '0 16px 16px' }}>
          {t('manage.filesAfterSave')}
        </p>
      ) : (
        <>
          {list.length === 0 ? (
            <p className="sec" style={{ padding: '0 16px 12px' }}>
              {files.error ? errorText(files.error) : t('manage.noFiles')}
            </p>
          ) : (
            <table className="tbl">
              <thead>
                <tr>
                  <th scope="col">{t('common.name')}</th>
                  <th scope="col" className="num">
                    {t('manage.fileSize')}
                  </th>
                  <th scope="col">{t('manage.fileAt')}</th>
                  <th scope="col">
                    <span className="vh">{t('manage.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.map(({ name, size, modifiedAt }) => (
                  <tr key={name}>
                    <td className="m">{name}</td>
                    <td className="num sec">{bytesText(size)}</td>
                    <td className="sec">{ago(modifiedAt)}</td>
                    <td className="acts">
                      <button
                        type="button"
                        className="iconbtn"
                        aria-label={t('manage.removeFile', { name })}
                        title={t('manage.removeFile', { name })}
                        onClick={() => void remove(name)}
                      >
                        <Icon name="trash" />
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          <div style={{ display: 'flex', alignItems: 'center', gap: 12, padding: '12px 16px 16px' }}>
            <button
              type="button"
              className="btn"
              disabled={busyWith !== null || isReadOnly}
              onClick={() => input.current?.click()}
            >
              <Icon name={busyWith === null ? 'plus' : 'spinner'} size={busyWith === null ? 's' : 'spin'} />
              {t('manage.addFiles')}
            </button>
            <output className="mut" style={{ fontSize: 12 }}>
              {busyWith === null ? t('manage.filesHint') : t('manage.uploading', { name: busyWith })}
            </output>
            <input
              ref={input}
              type="file"
              hidden
              multiple
              accept=".csv,.tsv,.tab,.txt,.xlsx,.jsonl,.ndjson,.json"
              aria-label={t('manage.addFiles')}
              onChange={(event) => {
                const chosen = [...(event.target.files ?? [])];
                event.target.value = '';
                if (chosen.length > 0) void upload(chosen);
              }}
            />
          </div>
        </>
      )}
    </section>
  );
};
