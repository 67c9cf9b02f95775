import type { AccessLink } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../ui/clipboard.ts';
import { currentUser } from '../../platform/session.ts';
import { moment } from '../../platform/time.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { toast } from '../../ui/toasts.tsx';

export interface LinkToShow {
  link: AccessLink;
  name: string;
}

/** A link is shown once, for a person to pass on; what went by mail needs no more than a word. */
export const LinkDialog = ({ shown, onClose }: { shown: LinkToShow; onClose: () => void }) => {
  const { t } = useTranslation();
  const formats = currentUser()?.userPreferences.options.formats;
  const url = `${location.origin}${shown.link.path ?? ''}`;
  const copy = async (): Promise<void> => {
    if (await copyText(url)) toast('success', t('users.linkCopied'));
    else toast('warning', t('common.copyRefused'));
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('users.linkTitle')}
      width={560}
      footer={
        <>
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onClose}>
            {t('common.close')}
          </button>
          <button type="button" className="btn primary lg" onClick={() => void copy()} data-autofocus>
            <Icon name="copy" />
            {t('users.linkCopy')}
          </button>
        </>
      }
    >
      <div className="us-link">
        <p>
          {t('users.linkText', {
            name: shown.name,
            until: formats ? moment(shown.link.expiresAt, formats) : shown.link.expiresAt,
          })}
        </p>
        <TextField label={t('users.linkLabel')} value={url} readOnly onChange={() => undefined} />
      </div>
    </Dialog>
  );
};
