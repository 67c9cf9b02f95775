import { formatNumber } from '@sluice/mapping';
import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormatSettings } from '../../grid/format-value.ts';
import { toast } from '../../ui/toasts.tsx';
import { base64OfBytes, bytesOfBase64, fileKindOf } from './file-kind.ts';

const size = (bytes: number, { formats }: FormatSettings): string => {
  const shown = (value: number): string => formatNumber(Math.round(value * 10) / 10, formats.numberFormat);
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${shown(bytes / 1024)} kB` : `${shown(bytes / 1024 / 1024)} MB`;
};

/** A file in a field: what it is, a look at pictures, download, another one. */
export const FileField = ({
  id,
  describedBy,
  fieldId,
  name,
  text,
  isLocked,
  isWrong,
  settings,
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
  settings: FormatSettings;
  onText: (text: string) => void;
}) => {
  const { t } = useTranslation();
  const chooser = useRef<HTMLInputElement>(null);
  const bytes = useMemo(() => bytesOfBase64(text), [text]);
  const kind = useMemo(() => (bytes ? fileKindOf(bytes) : null), [bytes]);
  const url = useMemo(
    () => (bytes ? `data:${kind?.mime ?? 'application/octet-stream'};base64,${base64OfBytes(bytes)}` : null),
    [bytes, kind],
  );
  const take = async (file: File): Promise<void> => {
    try {
      onText(base64OfBytes(new Uint8Array(await file.arrayBuffer())));
    } catch {
      toast('error', t('form.fileUnreadable', { name: file.name }));
    }
  };
  return (
    <div className={`inp file ${isWrong ? 'bad' : ''} ${isLocked ? 'ro' : ''}`}>
      {url && kind?.isImage ? <img src={url} alt="" /> : null}
      <span className="sp trunc">
        {text === ''
          ? t('form.noFile')
          : bytes
            ? `${kind?.name ?? t('form.fileUnknown')}, ${size(bytes.length, settings)}`
            : t('form.notBase64')}
      </span>
      {url ? (
        <a className="link" href={url} download={`${name}.${kind?.extension ?? 'bin'}`}>
          {t('form.download')}
        </a>
      ) : null}
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
          const [file] = event.target.files ?? [];
          event.target.value = '';
          if (file) void take(file);
        }}
      />
    </div>
  );
};
