import type { ActionSummary } from '@sluice/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { Switch } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { MenuButton, type MenuEntry } from '../../ui/popup-menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { ActionDetails } from './action-details.tsx';
import { useRefresh, useUpdateAction } from './api.ts';
import { ActionStatusBadge, BusyBadge } from './status.tsx';
import type { WiringNames } from './wiring-names.ts';
import { scheduleWords, timeWords } from './words.ts';

/** One action in the table of its connector, with what it does folded out below. */
export const ActionRow = ({
  connectorId,
  action,
  names,
  canUpdate,
  canRun,
  isNoted,
  onOpen,
}: {
  connectorId: string;
  action: ActionSummary;
  names: WiringNames;
  canUpdate: boolean;
  canRun: boolean;
  /** There is a note about it. */
  isNoted: boolean;
  onOpen: (kind: 'test' | 'manual' | 'delete' | 'links' | 'documentation') => void;
}) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const update = useUpdateAction(connectorId);
  const [isUnfolded, setUnfolded] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  /** Shown while the server has not answered. */
  const [wanted, setWanted] = useState<boolean | null>(null);
  const params = { connectorId, actionId: action.internalId };
  const switchTo = async (isActive: boolean): Promise<void> => {
    setWanted(isActive);
    try {
      const { resource } = await call('updateAction', {
        params,
        body: { changes: { isActive }, revision: action.revision },
      });
      update(resource);
    } catch (error) {
      toast('error', errorText(error));
    }
    setWanted(null);
    await refresh();
  };
  const entries: MenuEntry[] = [
    {
      label: t('actions.mappings'),
      icon: 'settings',
      onClick: () =>
        void navigate({ to: '/connectors/$connectorId/actions/$actionId/mappings-triggers', params }),
    },
    { label: t('actions.testRun'), icon: 'eye', onClick: () => onOpen('test') },
    ...(canRun
      ? [{ label: t('actions.manualRun'), icon: 'push' as const, onClick: () => onOpen('manual') }]
      : []),
    { label: t('actions.documentation'), icon: 'form', onClick: () => onOpen('documentation') },
    ...(canUpdate
      ? [
          {
            label: t('common.edit'),
            icon: 'edit' as const,
            onClick: () => void navigate({ to: '/connectors/$connectorId/actions/$actionId/edit', params }),
          },
          'divider' as const,
          {
            label: t('common.delete'),
            icon: 'trash' as const,
            isDanger: true,
            onClick: () => onOpen('delete'),
          },
        ]
      : []),
  ];
  return (
    <>
      <tr>
        <td style={{ width: 1, paddingRight: 0 }}>
          <button
            type="button"
            className="iconbtn"
            aria-expanded={isUnfolded}
            aria-label={t('actions.details', { name: action.name })}
            onClick={() => setUnfolded((is) => !is)}
          >
            <Icon name={isUnfolded ? 'chevron' : 'chevronRight'} />
          </button>
        </td>
        <td>
          <Link
            className="m"
            to="/connectors/$connectorId/actions/$actionId/mappings-triggers"
            params={params}
          >
            {action.name}
          </Link>
          {isNoted ? (
            <button
              type="button"
              className="iconbtn noted"
              aria-label={t('actions.documentationOf', { name: action.name })}
              title={t('actions.documentationOf', { name: action.name })}
              onClick={() => onOpen('documentation')}
            >
              <Icon name="form" />
            </button>
          ) : null}
          <div className="cn-desc cn-wire">
            {action.wiring.sources.map(names.source).join(', ')}
            <Icon name="arrowRight" size="s" />
            {action.wiring.targets.map(names.target).join(', ')}
          </div>
        </td>
        <td>
          <Switch
            label={t('actions.activeOf', { name: action.name })}
            isOn={wanted ?? action.isActive}
            isDisabled={!canUpdate}
            isLabelHidden
            onChange={(isActive) => {
              // Switched off while the answer is under way, it would lose the focus: it only does not listen.
              if (wanted === null) void switchTo(isActive);
            }}
          />
        </td>
        <td>
          <ActionStatusBadge status={action.status} message={action.statusMessage} />
          {action.activeRunId === null ? null : <BusyBadge />}
        </td>
        <td className="sec">{t(action.isCopyAllowed ? 'common.yes' : 'common.no')}</td>
        <td className="sec">{scheduleWords(action.schedule)}</td>
        <td className="sec tn">{timeWords(action.lastRunAt, t('connectors.never'))}</td>
        <td className="sec tn">{timeWords(action.nextRunAt, t('connectors.none'))}</td>
        <td className="acts">
          <button type="button" className="btn" onClick={() => onOpen('test')}>
            {t('actions.testRun')}
          </button>{' '}
          {canRun ? (
            <button
              type="button"
              className="btn"
              disabled={action.activeRunId !== null || action.status === 'MAPPINGS_NOT_SET_UP'}
              onClick={() => onOpen('manual')}
            >
              {t('actions.manualRun')}
            </button>
          ) : null}{' '}
          <MenuButton entries={entries} isOpen={isMenuOpen} onChange={setMenuOpen}>
            <button
              type="button"
              className="iconbtn"
              aria-label={t('connectors.rowActions', { name: action.name })}
            >
              <Icon name="dots" />
            </button>
          </MenuButton>
        </td>
      </tr>
      {isUnfolded ? (
        <tr>
          <td colSpan={9} style={{ padding: 0 }}>
            <ActionDetails connectorId={connectorId} action={action} names={names} />
          </td>
        </tr>
      ) : null}
    </>
  );
};
