import type { BodyInput, SavedView, createView } from '@sluice/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { copyText } from '../../ui/clipboard.ts';
import { currentUser } from '../../platform/session.ts';
import { createStore, useStore } from '../../platform/store.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { MenuButton, type MenuEntry } from '../../ui/popup-menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { SaveViewDialog } from './save-view-dialog.tsx';

/** What the table shows now, without a name. */
export type ShownView = Pick<BodyInput<typeof createView>, 'view' | 'columns'>;

type Asked = { kind: 'new' } | { kind: 'edit' | 'remove'; view: SavedView };

/** Named ways of looking at a table: choose, save, rename, share, remove. The address names the one in use. */
export const ViewsMenu = ({
  collection,
  viewId,
  shown,
  isAsSaved,
  onApply,
  onChoose,
}: {
  collection: string;
  /** Of the address; undefined = all records. */
  viewId: string | undefined;
  shown: () => ShownView;
  /** False once the filter, the order or the columns are others than the view keeps. */
  isAsSaved: (view: SavedView) => boolean;
  /** Puts the table so; null = as it is without a view. */
  onApply: (view: SavedView | null) => void;
  /** Puts the id in the address. */
  onChoose: (viewId: string | undefined) => void;
}) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const queryKey = ['views', collection];
  const { data, error } = useQuery({
    queryKey,
    queryFn: async () => (await call('listViews', { params: { collection } })).resources,
  });
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  /** The view that the table was last put to; a change of the address alone puts it again. */
  const [appliedId] = useState(() => createStore<string | undefined>(undefined));
  const applied = useStore(appliedId);
  const views = data ?? [];
  const current = views.find((view) => view.viewId === viewId) ?? null;
  const isChanged = current !== null && applied === viewId && !isAsSaved(current);
  const isSuperuser = currentUser()?.user.isSuperuser ?? false;
  const canChange = (view: SavedView): boolean => view.isOwn || isSuperuser;

  const follow = useEffectEvent(() => {
    if (!data || viewId === applied) return;
    const wanted = data.find((view) => view.viewId === viewId);
    appliedId.set(viewId);
    if (viewId !== undefined && !wanted) {
      toast('warning', t('views.gone'));
      onChoose(undefined);
      return;
    }
    onApply(wanted ?? null);
  });
  useEffect(() => follow(), [data, viewId]);

  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey });
  const fail = (failure: unknown): void => {
    if (failure instanceof ApiError && failure.status === 409) {
      toast('warning', t('views.changedMeanwhile'));
      void refresh();
    } else toast('error', errorText(failure));
  };
  const create = async (name: string, isShared: boolean): Promise<void> => {
    const { resource } = await call('createView', {
      params: { collection },
      body: { name, isShared, ...shown() },
    });
    client.setQueryData(queryKey, [...views, resource]);
    // The table already looks so.
    appliedId.set(resource.viewId);
    onChoose(resource.viewId);
    await refresh();
    toast('success', t('views.saved', { name }));
  };
  const update = async (
    view: SavedView,
    change: { name?: string; isShared?: boolean } | ShownView,
  ): Promise<void> => {
    await call('updateView', {
      params: { collection, viewId: view.viewId },
      body: { ...change, revision: view.revision },
    });
    await refresh();
    toast('success', t('views.saved', { name: 'name' in change && change.name ? change.name : view.name }));
  };
  const remove = async (view: SavedView): Promise<void> => {
    await call('deleteView', { params: { collection, viewId: view.viewId } });
    if (view.viewId === viewId) onChoose(undefined);
    setAsked(null);
    await refresh();
    toast('success', t('views.removed', { name: view.name }));
  };
  const copyLink = async (): Promise<void> => {
    const url = new URL(location.href);
    if (await copyText(url.href)) toast('success', t('views.linkCopied'));
    else toast('info', url.href);
  };
  const entryOf = (view: SavedView): MenuEntry => ({
    label: view.name,
    hint: view.isOwn ? undefined : view.owner.fullName,
    isChecked: view.viewId === viewId,
    onClick: () => {
      // Choosing the one in use puts the table back to it.
      if (view.viewId === viewId) onApply(view);
      else onChoose(view.viewId);
    },
  });
  const own = views.filter((view) => !view.isShared);
  const shared = views.filter((view) => view.isShared);
  const entries: MenuEntry[] = [
    {
      label: t('views.all'),
      isChecked: viewId === undefined,
      onClick: () => (viewId === undefined ? onApply(null) : onChoose(undefined)),
    },
    ...(own.length > 0 ? [{ label: t('views.own'), heading: true } as const, ...own.map(entryOf)] : []),
    ...(shared.length > 0
      ? [{ label: t('views.shared'), heading: true } as const, ...shared.map(entryOf)]
      : []),
    ...(error ? [{ label: errorText(error), heading: true } as const] : []),
    'divider',
    ...(current && isChanged
      ? ([{ label: t('views.backToSaved'), icon: 'undo', onClick: () => onApply(current) }] as const)
      : []),
    ...(current && isChanged && canChange(current)
      ? ([
          {
            label: t('views.saveTo', { name: current.name }),
            icon: 'check',
            onClick: () => void update(current, shown()).catch(fail),
          },
        ] as const)
      : []),
    { label: t('views.saveAs'), icon: 'plus', onClick: () => setAsked({ kind: 'new' }) },
    ...(current
      ? ([
          { label: t('views.copyLink'), icon: 'copy', onClick: () => void copyLink() },
          ...(canChange(current)
            ? ([
                {
                  label: t('views.edit'),
                  icon: 'edit',
                  onClick: () => setAsked({ kind: 'edit', view: current }),
                },
                {
                  label: t('views.remove'),
                  icon: 'trash',
                  isDanger: true,
                  onClick: () => setAsked({ kind: 'remove', view: current }),
                },
              ] as const)
            : []),
        ] as const)
      : []),
  ];
  return (
    <>
      <MenuButton entries={entries} isOpen={isOpen} onChange={setOpen}>
        <button
          type="button"
          className="btn ghost"
          aria-label={t(isChanged ? 'views.buttonChanged' : 'views.button', {
            name: current?.name ?? t('views.all'),
          })}
        >
          <Icon name="eye" />
          <span className="trunc" style={{ maxWidth: 180 }}>
            {current?.name ?? t('views.all')}
          </span>
          {isChanged ? <span className="mut">({t('views.changed')})</span> : null}
          <Icon name="chevron" size="xs" />
        </button>
      </MenuButton>
      {asked?.kind === 'new' || asked?.kind === 'edit' ? (
        <SaveViewDialog
          title={t(asked.kind === 'new' ? 'views.newTitle' : 'views.editTitle')}
          name={asked.kind === 'edit' ? asked.view.name : ''}
          isShared={asked.kind === 'edit' ? asked.view.isShared : false}
          taken={views
            .filter((view) => asked.kind === 'new' || view.viewId !== asked.view.viewId)
            .map((view) => view.name)}
          onClose={() => setAsked(null)}
          onSave={(name, isShared) =>
            asked.kind === 'new' ? create(name, isShared) : update(asked.view, { name, isShared })
          }
        />
      ) : null}
      {asked?.kind === 'remove' ? (
        <ConfirmDialog
          title={t('views.removeTitle')}
          text={t(asked.view.isShared ? 'views.removeShared' : 'views.removeOwn', { name: asked.view.name })}
          yes={t('common.remove')}
          isDanger
          onNo={() => setAsked(null)}
          onYes={() => void remove(asked.view).catch(fail)}
        />
      ) : null}
    </>
  );
};
