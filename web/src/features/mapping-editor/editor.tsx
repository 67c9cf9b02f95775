import type { Action, ActionMetadata, Connector } from '@sluice/contract';
import { type ReactNode, useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { currentUser } from '../../platform/session.ts';
import { keepWork, takeWork } from '../../platform/saved-work.ts';
import { addShortcut, isMod } from '../../platform/shortcuts.ts';
import { useStore } from '../../platform/store.ts';
import { Icon } from '../../ui/icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useLeaveQuestion } from '../../ui/unfinished.tsx';
import { type ActionIds, lookupOf, useForgetAction } from './api.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { type Content, contentOf, createDraft, isSame } from './draft.ts';
import { EditorHead } from './editor-head.tsx';
import type { EditorState } from './mapping-editor-screen.tsx';
import { checkAll, outcomes, updateKinds } from './problems.ts';
import { SourceUpdatesTab } from './source-updates-tab.tsx';
import { TriggersTab } from './triggers-tab.tsx';
import { VersionsDialog } from './versions-dialog.tsx';
import { Workbench } from './workbench.tsx';

export type Tab = 'mappings' | 'triggers' | 'updates';

/** The editor of one action: three tabs over one draft, saved as a whole. */
export const Editor = ({
  ids,
  saved: first,
  metadata,
  connector,
  canEdit,
  runs,
}: {
  ids: ActionIds;
  saved: Action;
  metadata: ActionMetadata;
  connector: Connector;
  canEdit: boolean;
  runs?: ((state: EditorState) => ReactNode) | undefined;
}) => {
  const { t } = useTranslation();
  const [saved, setSaved] = useState(first);
  const workKey = `action:${first.internalId}`;
  const [draft] = useState(() => {
    const made = createDraft(contentOf(first));
    // What was not saved when the session ended.
    const kept = takeWork<Content>(workKey);
    if (kept) made.change(() => kept);
    return made;
  });
  const [lookup] = useState(() => lookupOf(ids));
  const steps = useStore(draft.store);
  const content = steps.now;
  const zone = currentUser()?.timeZone ?? 'UTC';
  const forget = useForgetAction();
  const [tab, setTab] = useState<Tab>('mappings');
  const [chosen, setChosen] = useState<string | null>(null);
  const [sourceAt, setSourceAt] = useState(0);
  const [isSaving, setSaving] = useState(false);
  const [isVersions, setVersions] = useState(false);
  const [theirs, setTheirs] = useState<Action | null>(null);
  const savedContent = useMemo(() => contentOf(saved), [saved]);
  const isDirty = !isSame(content, savedContent);
  const unfinished = useEffectEvent(() => (isDirty ? draft.get() : undefined));
  useEffect(() => keepWork(workKey, () => unfinished()), [workKey]);
  const checked = useDeferredValue(content);
  const problems = useMemo(() => checkAll(checked, metadata, zone), [checked, metadata, zone]);
  const source = metadata.sources[sourceAt] ?? metadata.sources[0];

  const save = async (revision = saved.revision): Promise<void> => {
    // What is checked is what is saved, not what was on the screen a moment ago.
    if (checkAll(draft.get(), metadata, zone).errors > 0) {
      toast('error', t('mapping.fixErrors'));
      return;
    }
    setSaving(true);
    try {
      const { mappings, triggers, sourceUpdateConfigs } = draft.get();
      const changes = {
        mappings: [...mappings],
        triggers: [...triggers],
        sourceUpdateConfigs,
      };
      const { resource } = await call('updateAction', { params: ids, body: { changes, revision } });
      setSaved(resource);
      setTheirs(null);
      toast('success', t('mapping.saved'));
      await forget();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'REVISION_CONFLICT') {
        const { resource } = await call('getAction', { params: ids });
        setTheirs(resource);
      } else toast('error', errorText(error));
    }
    setSaving(false);
  };
  const take = (action: Action): void => {
    setSaved(action);
    draft.reset(contentOf(action));
    setTheirs(null);
  };
  const handleUndo = useEffectEvent((): void => {
    if (!draft.undo()) toast('default', t('grid.nothingToUndo'));
  });
  const handleRedo = useEffectEvent((): void => {
    if (!draft.redo()) toast('default', t('grid.nothingToRedo'));
  });
  const handleSave = useEffectEvent((): void => {
    if (canEdit && isDirty && !isSaving) void save();
  });
  useEffect(() => {
    const isKey = (event: KeyboardEvent, key: string): boolean =>
      isMod(event) && !event.altKey && event.key.toLowerCase() === key;
    const removes = [
      addShortcut({
        matches: (event) => isKey(event, 'z') && !event.shiftKey,
        run: () => handleUndo(),
      }),
      addShortcut({
        matches: (event) => isKey(event, 'y') || (isKey(event, 'z') && event.shiftKey),
        run: () => handleRedo(),
      }),
      addShortcut({ matches: (event) => isKey(event, 's'), run: () => handleSave() }),
    ];
    return () => removes.forEach((remove) => remove());
  }, []);
  const { question } = useLeaveQuestion({ isUnsaved: () => isDirty, text: t('mapping.leaveText') });
  const changeContent = draft.change;
  const changeMappings = useMemo(
    () =>
      (edit: (mappings: Content['mappings']) => Content['mappings'], name: string | null = null): void =>
        changeContent((before) => {
          const mappings = edit(before.mappings);
          return mappings === before.mappings ? before : { ...before, mappings };
        }, name),
    [changeContent],
  );
  const updatesUsed = updateKinds.flatMap((kind) =>
    outcomes.filter((outcome) => content.sourceUpdateConfigs[kind][outcome].length > 0),
  ).length;
  const tabs: readonly { id: Tab; label: string; count: string; errors: number }[] = [
    {
      id: 'mappings',
      label: t('mapping.tabMappings'),
      count: String(content.mappings.length),
      errors: problems.action.filter(({ severity }) => severity === 'error').length,
    },
    {
      id: 'triggers',
      label: t('mapping.tabTriggers'),
      count: String(content.triggers.length),
      errors: problems.triggers.length,
    },
    {
      id: 'updates',
      label: t('mapping.tabUpdates'),
      count: t('mapping.usedOf', { count: updatesUsed, total: 6 }),
      errors: updateKinds
        .flatMap((kind) => outcomes.flatMap((outcome) => problems.updates[kind][outcome]))
        .filter(({ severity }) => severity === 'error').length,
    },
  ];
  const common = { ids, metadata, lookup, zone, canEdit };
  return (
    <main className="mp-root" id="main" tabIndex={-1}>
      <EditorHead
        connector={connector}
        action={saved}
        metadata={metadata}
        ids={ids}
        sourceAt={sourceAt}
        onSource={setSourceAt}
        tabs={tabs}
        tab={tab}
        onTab={setTab}
        canUndo={steps.past.length > 0}
        canRedo={steps.future.length > 0}
        canEdit={canEdit}
        onUndo={draft.undo}
        onRedo={draft.redo}
        onVersions={() => setVersions(true)}
      />
      {canEdit ? null : (
        <p className="ro-line">
          <Icon name="lock" size="s" />
          {t('mapping.noRight')}
        </p>
      )}
      {metadata.target?.problem ? (
        <p className="note-line bad" role="alert">
          <Icon name="danger" />
          {metadata.target.problem}
        </p>
      ) : null}
      <div className="mp-tab" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
        {tab === 'mappings' && source ? (
          <Workbench
            {...common}
            source={source}
            place="action"
            written={metadata.target?.fields ?? noFields}
            mappings={content.mappings}
            problems={problems.action}
            change={changeMappings}
            chosen={chosen}
            onChoose={setChosen}
          />
        ) : null}
        {tab === 'triggers' ? (
          <TriggersTab
            ids={ids}
            action={saved}
            metadata={metadata}
            triggers={content.triggers}
            problems={problems.triggers}
            zone={zone}
            canEdit={canEdit}
            onChange={(triggers, name = null) =>
              draft.change((before) => ({ ...before, triggers: [...triggers] }), name)
            }
          />
        ) : null}
        {tab === 'updates' && source ? (
          <SourceUpdatesTab
            {...common}
            source={source}
            configs={content.sourceUpdateConfigs}
            problems={problems.updates}
            onChange={(edit, name) =>
              draft.change(
                (before) => ({ ...before, sourceUpdateConfigs: edit(before.sourceUpdateConfigs) }),
                name,
              )
            }
          />
        ) : null}
      </div>
      <footer className="pg-f">
        {isDirty ? (
          <span className="badge warning">
            <Icon name="warning" size="s" />
            {t('mapping.unsaved')}
          </span>
        ) : null}
        <output className="sec trunc">
          {problems.errors > 0
            ? t('mapping.errorsLeft', { count: problems.errors })
            : isDirty
              ? t('mapping.readyToSave')
              : t('mapping.version', { count: saved.version })}
        </output>
        <span className="sp" />
        {runs?.({
          ...ids,
          action: saved,
          mappings: content.mappings,
          triggers: content.triggers,
          isDirty,
          hasErrors: problems.errors > 0,
        })}
        {canEdit ? (
          <button
            type="button"
            className="btn primary"
            disabled={!isDirty || isSaving}
            onClick={() => void save()}
          >
            {isSaving ? t('common.saving') : t('common.save')}
          </button>
        ) : null}
      </footer>
      {question}
      {theirs ? (
        <ConflictDialog
          before={savedContent}
          mine={content}
          theirs={theirs}
          metadata={metadata}
          isSaving={isSaving}
          onMine={() => void save(theirs.revision)}
          onTheirs={() => take(theirs)}
          onClose={() => setTheirs(null)}
        />
      ) : null}
      {isVersions ? (
        <VersionsDialog
          ids={ids}
          saved={saved}
          metadata={metadata}
          isDirty={isDirty}
          canEdit={canEdit}
          onClose={() => setVersions(false)}
          onRestored={take}
        />
      ) : null}
    </main>
  );
};

const noFields: [] = [];
