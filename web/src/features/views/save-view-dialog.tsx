import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../platform/call.ts';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Switch, TextField } from '../../ui/fields.tsx';

/** Name of a view, and whether colleagues see it. */
export const SaveViewDialog = ({
  title,
  name,
  isShared,
  taken,
  onSave,
  onClose,
}: {
  title: string;
  name: string;
  isShared: boolean;
  /** Names of other views: allowed, with a word of warning. */
  taken: readonly string[];
  onSave: (name: string, isShared: boolean) => Promise<void>;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const formId = useId();
  const [text, setText] = useState(name);
  const [isForAll, setForAll] = useState(isShared);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const plain = text.trim();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (plain === '' || isBusy) return;
    setBusy(true);
    try {
      await onSave(plain, isForAll);
      onClose();
    } catch (failure) {
      setFault(errorText(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      footer={
        <DialogFooter
          onClose={onClose}
          action={{
            label: t(isBusy ? 'common.saving' : 'common.save'),
            form: formId,
            isDisabled: plain === '' || isBusy,
          }}
        />
      }
    >
      <form
        id={formId}
        onSubmit={(event) => void submit(event)}
        style={{ padding: '4px 20px 20px', display: 'grid', gap: 12 }}
      >
        <TextField
          label={t('common.name')}
          value={text}
          onChange={setText}
          maxLength={100}
          data-autofocus
          error={fault}
          hint={taken.includes(plain) ? t('views.nameTaken') : null}
        />
        <div>
          <Switch label={t('views.isShared')} isOn={isForAll} onChange={setForAll} />
          <p className="sec" style={{ fontSize: 12 }}>
            {t('views.isSharedHint')}
          </p>
        </div>
        <p className="sec" style={{ fontSize: 12 }}>
          {t('views.what')}
        </p>
      </form>
    </Dialog>
  );
};
