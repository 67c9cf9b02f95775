import type { Action, ActionMetadata, ActionVersion } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { currentUser } from '../../platform/session.ts';
import { moment } from '../../platform/time.ts';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { type ActionIds, useForgetAction, useVersions } from './api.ts';
import { compareContents } from './compare.ts';
import { Differences } from './differences.tsx';
import { contentOf, isSame } from './draft.ts';
import { ScrollArea } from './scroll-area.tsx';

/** Earlier versions of the action, what a chosen one has that is different now, and the way back to it. */
export const VersionsDialog = ({
  ids,
  saved,
  metadata,
  isDirty,
  canEdit,
  onClose,
  onRestored,
}: {
  ids: ActionIds;
  saved: Action;
  metadata: ActionMetadata;
  isDirty: boolean;
  canEdit: boolean;
  onClose: () => void;
  onRestored: (action: Action) => void;
}) => {
  const { t } = useTranslation();
  const versions = useVersions(ids);
  const forget = useForgetAction();
  const [at, setAt] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  const when = (iso: string): string => {
    const formats = currentUser()?.userPreferences.options.formats;
    return formats ? moment(iso, formats) : iso;
  };
  const list = versions.data?.resources ?? [];
  const chosen =
    list.find(({ version }) => version === at) ?? list.find(({ version }) => version !== saved.version);
  const isMoved = chosen !== undefined && !isSame(chosen.wiring, saved.wiring);
  const restore = async ({
    wiring,
    mappings,
    triggers,
    sourceUpdateConfigs,
  }: ActionVersion): Promise<void> => {
    setBusy(true);
    try {
      const { resource } = await call('updateAction', {
        params: ids,
        body: {
          changes: { mappings, triggers, sourceUpdateConfigs, ...(isMoved ? { wiring } : {}) },
          revision: saved.revision,
        },
      });
      onRestored(resource);
      toast('success', t('mapping.restored', { version: chosen?.version ?? 0 }));
      await forget();
      onClose();
    } catch (error) {
      toast(
        'error',
        error instanceof ApiError && error.code === 'REVISION_CONFLICT'
          ? t('mapping.restoreConflict')
          : errorText(error),
      );
    }
    setBusy(false);
  };
  return (
    <Dialog
      isOpen
      isTall
      onClose={onClose}
      width={1040}
      title={t('mapping.versionsTitle')}
      subtitle={t('mapping.versionsText')}
      footer={
        <DialogFooter
          note={<span className="sec">{isDirty && canEdit ? t('mapping.restoreUnsaved') : null}</span>}
          close={t('common.close')}
          onClose={onClose}
          action={
            canEdit && chosen && chosen.version !== saved.version
              ? {
                  label: t('mapping.restore', { version: chosen.version }),
                  isDisabled: isDirty || isBusy,
                  onClick: () => void restore(chosen),
                }
              : null
          }
        />
      }
    >
      <div className="mp-root vers">
        <ol className="vers-l" aria-label={t('mapping.versions')}>
          {list.map((one) => (
            <li key={one.version}>
              <button
                type="button"
                className={one.version === chosen?.version ? 'on' : ''}
                aria-pressed={one.version === chosen?.version}
                onClick={() => setAt(one.version)}
              >
                <span className="m">
                  {t('mapping.version', { count: one.version })}
                  {one.version === saved.version ? ` · ${t('mapping.current')}` : ''}
                </span>
                <span className="mut">
                  {when(one.at)} · {one.author.fullName}
                </span>
              </button>
            </li>
          ))}
        </ol>
        <ScrollArea className="vers-b" label={t('mapping.what')}>
          {versions.error ? (
            <p className="note-line bad" role="alert">
              {errorText(versions.error)}
            </p>
          ) : versions.isPending ? (
            <span className="skel" style={{ width: 320 }} />
          ) : chosen ? (
            <>
              {isMoved ? <p className="note-line warn">{t('mapping.otherWiring')}</p> : null}
              <Differences
                differences={compareContents(chosen, contentOf(saved), metadata)}
                beforeLabel={t('mapping.version', { count: chosen.version })}
                afterLabel={t('mapping.now')}
              />
            </>
          ) : (
            <p className="pick-0">{t('mapping.onlyVersion')}</p>
          )}
        </ScrollArea>
      </div>
    </Dialog>
  );
};
