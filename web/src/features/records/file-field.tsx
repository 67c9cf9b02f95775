import { base64OfBytes } from '@sluice/mapping';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { FileDownload, useFileContent } from '../../ui/file-content.tsx';
import { toast } from '../../ui/toasts.tsx';

/** A file in a field: what it is, a look at pictures, download, another one. */
export const FileField = ({
  id,
  describedBy,
  fieldId,
  name,
  text,
  isLocked,
  isWrong,
  onText,
}: {
  id: string;
  describedBy: string | undefined;
  fieldId: string;
  /** What a download is called, without extension. */
  name: string;
  text: string;
  isLocked: boolean;
  isWrong: boolean;
  onText: (text: string) => void;
}) => {
  const { t } = useTranslation();
  const chooser = useRef<HTMLInputElement>(null);
  const file = useFileContent(text);
  const take = async (chosen: File): Promise<void> => {
    try {
      onText(base64OfBytes(new Uint8Array(await chosen.arrayBuffer())));
    } catch {
      toast('error', t('form.fileUnreadable', { name: chosen.name }));
    }
  };
  return (
    <div className={`inp file ${isWrong ? 'bad' : ''} ${isLocked ? 'ro' : ''}`}>
      {file.url !== null && file.kind?.isImage ? <img src={file.url} alt="" /> : null}
      <span className="sp trunc">{text === '' ? t('form.noFile') : file.label}</span>
      <FileDownload file={file} name={name} />
      {text !== '' && !isLocked ? (
        <button type="button" className="link" onClick={() => onText('')}>
          {t('common.clear')}
        </button>
      ) : null}
      {isLocked ? null : (
        <button
          type="button"
          className="link"
          id={id}
          data-field={fieldId}
          aria-describedby={describedBy}
          onClick={() => chooser.current?.click()}
        >
          {t('form.chooseFile')}
        </button>
      )}
      <input
        ref={chooser}
        type="file"
        hidden
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          event.target.value = '';
          if (chosen) void take(chosen);
        }}
      />
    </div>
  );
};
