import { base64OfBytes, bytesOfBase64, type FileKind, fileKindOf } from '@sluice/mapping';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { bytesText } from '../platform/download.ts';

interface FileContent {
  /** Its kind and size, or why there is none. */
  label: string;
  kind: FileKind | null;
  /** To show or download it; null where the text is no file. */
  url: string | null;
}

/** The file that a text in base64 is. */
export const useFileContent = (text: string): FileContent => {
  const { t } = useTranslation();
  return useMemo(() => {
    const bytes = bytesOfBase64(text);
    if (!bytes) return { label: t('file.notBase64'), kind: null, url: null };
    const kind = fileKindOf(bytes);
    return {
      label: `${kind?.name ?? t('file.unknown')}, ${bytesText(bytes.length)}`,
      kind,
      url: `data:${kind?.mime ?? 'application/octet-stream'};base64,${base64OfBytes(bytes)}`,
    };
  }, [text, t]);
};

/** Downloads a file of `useFileContent`; nothing where there is none. */
export const FileDownload = ({ file, name }: { file: FileContent; name: string }) => {
  const { t } = useTranslation();
  return file.url === null ? null : (
    <a className="link" href={file.url} download={`${name}.${file.kind?.extension ?? 'bin'}`}>
      {t('file.download')}
    </a>
  );
};
