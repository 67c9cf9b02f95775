import type { Documentation, Formats } from '@sluice/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, errorText } from '../platform/call.ts';
import { moment } from '../platform/time.ts';
import { Icon } from './icons.tsx';
import { toast } from './toasts.tsx';
import { NoteDialog } from './note-dialog.tsx';

/** A note: read, and edited by whom may; a text that another saved meanwhile is kept beside. */
export const DocumentationDialog = ({
  queryKey,
  read,
  save: send,
  title,
  emptyText,
  formats,
  onClose,
  onSaved,
}: {
  queryKey: readonly unknown[];
  read: () => Promise<Documentation>;
  save: (note: { text: string; revision: number }) => Promise<Documentation>;
  /** Name of what the note is about. */
  title: string;
  emptyText: string;
  formats: Formats;
  onClose: () => void;
  onSaved?: () => void;
}) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error } = useQuery({ queryKey, queryFn: read, staleTime: 0 });
  const [draft, setDraft] = useState<{ text: string; revision: number } | null>(null);
  const [theirs, setTheirs] = useState<Documentation | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [isAsking, setAsking] = useState(false);

  const save = async (): Promise<void> => {
    if (!draft || isSaving) return;
    setSaving(true);
    setFault(null);
    try {
      client.setQueryData(queryKey, await send({ text: draft.text, revision: draft.revision }));
      onSaved?.();
      setDraft(null);
      setTheirs(null);
      toast('success', t('documentation.saved'));
    } catch (failure) {
      // What was typed stays, whatever went wrong.
      if (failure instanceof ApiError && failure.status === 409) {
        try {
          setTheirs(await read());
        } catch (second) {
          setFault(errorText(second));
        }
      } else setFault(errorText(failure));
    } finally {
      setSaving(false);
    }
  };
  const decide = (text: string): void => {
    if (!theirs) return;
    client.setQueryData(queryKey, theirs);
    setDraft({ text, revision: theirs.revision });
    setTheirs(null);
  };
  const isDirty = draft !== null && draft.text !== (data?.text ?? '');
  const shownFault = fault ?? (error ? errorText(error) : null);
  const notice =
    isAsking && isDirty ? (
      <div className="note-line warn note-both" role="alert">
        <Icon name="warning" />
        <div>
          {t('form.leave')} {t('form.leaveText')}
          <span className="acts" style={{ marginTop: 6 }}>
            <button type="button" className="btn" onClick={() => setAsking(false)}>
              {t('form.leaveStay')}
            </button>
            <button type="button" className="btn danger" onClick={onClose}>
              {t('form.leaveGo')}
            </button>
          </span>
        </div>
      </div>
    ) : theirs !== null ? (
      <div className="note-line warn note-both" role="alert">
        <Icon name="warning" />
        <div>
          {t('documentation.conflict', { name: theirs.author?.fullName ?? t('common.formerUser') })}
          <pre>{theirs.text || t('documentation.empty')}</pre>
          <span className="acts">
            <button type="button" className="btn" onClick={() => decide(theirs.text)}>
              {t('push.takeTheirs')}
            </button>
            <button
              type="button"
              className="btn"
              onClick={() => decide(`${theirs.text}\n\n${draft?.text ?? ''}`.trim())}
            >
              {t('documentation.keepBoth')}
            </button>
            <button type="button" className="btn" onClick={() => decide(draft?.text ?? '')}>
              {t('push.keepMine')}
            </button>
          </span>
        </div>
      </div>
    ) : shownFault ? (
      <p className="note-line bad" role="alert" style={{ margin: '12px 20px' }}>
        <Icon name="danger" />
        {shownFault}
      </p>
    ) : undefined;
  const byline = data?.updatedAt
    ? t('documentation.byline', {
        name: data.author?.fullName ?? t('common.formerUser'),
        time: moment(data.updatedAt, formats),
      })
    : undefined;
  if (!data && !error) return null;
  return (
    <NoteDialog
      title={t('documentation.title', { title })}
      value={data?.text ?? ''}
      draft={draft?.text ?? ''}
      isEditing={draft !== null}
      isSaving={isSaving}
      canEdit={data?.canEdit ?? false}
      emptyText={emptyText}
      byline={byline}
      notice={notice}
      onDraft={(text) => setDraft((now) => (now ? { ...now, text } : now))}
      onEdit={() => data && setDraft({ text: data.text, revision: data.revision })}
      onSave={() => void save()}
      onCancel={() => {
        setDraft(null);
        setTheirs(null);
        setFault(null);
      }}
      onClose={() => {
        if (isDirty) setAsking(true);
        else onClose();
      }}
    />
  );
};
