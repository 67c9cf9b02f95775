import { Popover } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { choose, savedLevelIds, useChoice, useSystems } from '../features/systems/api.ts';
import { changeLevels, readAddress } from '../features/systems/level-tree.ts';
import { currentUser } from '../platform/session.ts';
import { SelectField } from '../ui/fields.tsx';
import { Icon } from '../ui/icons.tsx';
import { useOverlay } from '../ui/overlays.ts';
import { toast } from '../ui/toasts.tsx';

/** System, domain and company in one place; PRODUCTION stands in front of them. */
export const SystemSelector = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const { systems } = useSystems();
  const { choice } = useChoice();
  const [isOpen, setOpen] = useState(false);
  useOverlay('dropdown', isOpen, () => setOpen(false));
  if (!systems) return <span className="skel" style={{ width: 220, height: 36 }} />;
  const canManage = currentUser()?.rights['domains']?.read === true;
  if (!choice) {
    return canManage ? (
      <button type="button" className="btn" onClick={() => void navigate({ to: '/manage/systems' })}>
        <Icon name="plus" />
        {t('nav.connectSystem')}
      </button>
    ) : (
      <span className="mut" title={t('nav.noSystemAsk')}>
        {t('nav.noSystem')}
      </span>
    );
  }
  const isProduction = choice.levels.some((level) => level.isProduction);
  const names = choice.levels.map((level) => level.name);

  /** The open table follows to the same table of the new choice. */
  const go = (systemId: string, levelIds: readonly string[]): void => {
    const system = systems.find((one) => one.id === systemId);
    if (!system) return;
    const changed = changeLevels(system, levelIds);
    if ('problem' in changed) {
      toast('error', t(changed.problem));
      return;
    }
    const { levels } = changed;
    choose(
      systemId,
      levels.map((level) => level.internalId),
    );
    if (pathname.startsWith('/dashboard')) {
      const search = Object.fromEntries(
        system.systemLevels.map(({ uriId }, i) => [uriId, levels[i]?.uriAcronym ?? '']),
      );
      void navigate({ to: '/dashboard/$', params: { _splat: system.url }, search });
      return;
    }
    if (!pathname.startsWith('/data/')) return;
    const address = readAddress(systems, pathname.slice('/data/'.length), savedLevelIds);
    if (!address || address.system.id !== systemId) {
      toast('info', t('nav.otherSystem', { system: system.name }));
      void navigate({ to: '/dashboard/$', params: { _splat: system.url } });
      return;
    }
    const pairs = system.systemLevels
      .slice(0, address.levelCount)
      .flatMap((level, i) => [level.uriId, levels[i]?.uriAcronym ?? '']);
    void navigate({
      to: `/data/${[system.url, ...pairs, address.resource].join('/')}`,
      state: (now) => ({ ...now, isSwitched: true }),
    });
  };

  const levelOptions = (depth: number) => {
    let options = choice.system.systemLevelOptions;
    for (let i = 0; i < depth; i++) options = choice.levels[i]?.children ?? [];
    return options;
  };
  const label = [choice.system.name, ...names].join(', ');
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      offset={6}
      trapFocus
      returnFocus
      width={320}
    >
      <Popover.Target>
        <button
          type="button"
          className="sys"
          aria-expanded={isOpen}
          title={label}
          aria-label={`${t('nav.systemLabel', { name: label })}${isProduction ? `. ${t('nav.productionHint')}` : ''}`}
          onClick={() => setOpen((is) => !is)}
        >
          {isProduction ? (
            <span className="prod">
              <Icon name="warning" size="s" />
              {t('common.production')}
            </span>
          ) : null}
          <span className="who">
            <b>
              <span className="hide-n">{choice.system.name}</span>
              <span className="only-n">{choice.system.acronym}</span>
            </b>
            {choice.levels.map(({ internalId, name, acronym }, depth) =>
              depth === choice.levels.length - 1 ? (
                <span key={internalId}>{name}</span>
              ) : (
                <span key={internalId}>
                  <span className="hide-n">{name}</span>
                  <span className="only-n">{acronym}</span>
                </span>
              ),
            )}
          </span>
          <Icon name="chevron" />
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <div style={{ display: 'grid', gap: 12, padding: 12 }}>
          <SelectField
            label={t('nav.system')}
            value={choice.system.id}
            isDisabled={systems.length === 1}
            options={systems.map((system) => ({
              value: system.id,
              label: `${system.name} (${system.acronym})`,
            }))}
            onChange={(id) => go(id, savedLevelIds(id))}
          />
          {choice.system.systemLevels.map((level, depth) => {
            const options = levelOptions(depth);
            return (
              <SelectField
                key={level.uriId}
                label={level.nameSingular}
                value={choice.levels[depth]?.internalId ?? ''}
                isDisabled={options.length === 1}
                options={options.map((option) => ({
                  value: option.internalId,
                  label: `${option.name}${option.isProduction && depth === 0 ? ` – ${t('common.production')}` : ''}`,
                }))}
                onChange={(id) =>
                  go(choice.system.id, [...choice.levels.slice(0, depth).map((one) => one.internalId), id])
                }
              />
            );
          })}
          {canManage ? (
            <button
              type="button"
              className="link"
              style={{ justifySelf: 'start', fontSize: 13 }}
              onClick={() => {
                setOpen(false);
                void navigate({ to: '/manage/systems' });
              }}
            >
              {t('nav.manageSystems')}
            </button>
          ) : null}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
};
