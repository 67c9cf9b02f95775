import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormatSettings } from '../features/records/use-table.ts';
import { choose, dataLeaves, savedLevelIds, useMenu, useSystems } from '../features/systems/api.ts';
import { leafPath, readAddress } from '../features/systems/level-tree.ts';
import { ErrorView } from '../ui/error-view.tsx';
import { toast } from '../ui/toasts.tsx';
import { DataTable } from './data-table.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';

const DuplicatesScreen = lazyPart(
  async () => (await import('../features/duplicates/duplicates-screen.tsx')).DuplicatesScreen,
);
const RecordForm = lazyPart(async () => (await import('../features/records/record-form.tsx')).RecordForm);
const AttributePicker = lazyPart(async () => (await import('./attribute-picker.tsx')).AttributePicker);
const RecordTools = lazyPart(async () => (await import('./record-tools.tsx')).RecordTools);

const PREFIX = '/data/';

/**
 * What follows `/data/`, segments still encoded: the router's own parameter is decoded as a whole, and an id with a
 * slash would fall apart. While another route is on its way in, what was last here stays.
 */
const useDataPath = (): string => {
  const { pathname } = useLocation();
  const [path, setPath] = useState('');
  const here = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : path;
  if (here !== path) setPath(here);
  return here;
};

/** `/data/…`: finds out which table, record or picker a path means, and puts the features together. */
export const DataRoute = () => {
  const { t } = useTranslation();
  const path = useDataPath();
  const { isSwitched } = useLocation().state;
  const { copyFrom, view, field, run, push } = useSearch({ from: '/inside/data/$' });
  const navigate = useNavigate();
  const settings = useFormatSettings();
  const { systems } = useSystems();
  const address = useMemo(
    () => (systems ? readAddress(systems, path, savedLevelIds) : null),
    [systems, path],
  );
  const levelIds = address?.levels.map((level) => level.internalId).join('*');
  const systemId = address?.system.id;
  useEffect(() => {
    if (systemId && levelIds !== undefined) choose(systemId, levelIds.split('*'));
  }, [systemId, levelIds]);
  const { menu } = useMenu(address, address !== null);
  useEffect(() => {
    // An unknown system or too short a path leads home.
    if (systems && !address) void navigate({ to: '/', replace: true });
  }, [systems, address, navigate]);
  const leaf =
    address && menu ? dataLeaves(menu).find((one) => one.resourceTypeUriId === address.resource) : undefined;
  // Who changed the company chose no table: where it has none of that name, the dashboard says so (decisions Q-SYS-05).
  const isLost = menu !== null && address !== null && leaf === undefined && isSwitched === true;
  useEffect(() => {
    if (!isLost || !address) return;
    toast('info', t('nav.noSuchTable', { where: address.levels.at(-1)?.name ?? address.system.name }));
    void navigate({ to: '/dashboard/$', params: { _splat: address.system.url }, replace: true });
  }, [isLost, address, navigate, t]);
  if (!address || !menu || isLost) return <main className="page" id="main" tabIndex={-1} aria-busy="true" />;
  if (!leaf) return <ErrorView code="404" />;

  const hasAttribute = leaf.uri.includes('/:');
  const [attributeId, ...afterAttribute] = address.rest;
  const isPicking = hasAttribute && attributeId === undefined;
  const collection =
    hasAttribute && attributeId
      ? `${address.collection}/${encodeURIComponent(attributeId)}`
      : address.collection;
  const rest = hasAttribute ? afterAttribute : address.rest;
  const listPath = `/data/${collection}`;
  const where = [address.system.name, ...address.levels.map((level) => level.name)].join(', ');
  if (isPicking) return <AttributePicker collection={collection} title={leaf.title} where={where} />;

  /** Another table of the same system, at the same levels. */
  const collectionOf = (resource: string): string | null => {
    const other = dataLeaves(menu).find((one) => one.resourceTypeUriId === resource);
    return other && !other.uri.includes('/:') ? leafPath(address, other).slice('/data/'.length) : null;
  };
  const toList = (): void => void navigate({ to: listPath });
  const isNew = rest[0] === 'new';
  const isEdit = rest.length === 2 && rest[1] === 'edit';
  if (isNew || isEdit) {
    return (
      <RecordForm
        key={`${collection}/${rest[0]}/${copyFrom ?? ''}`}
        collection={collection}
        title={leaf.title}
        mode={isEdit ? 'edit' : copyFrom ? 'copy' : 'new'}
        id={isEdit ? (rest[0] ?? '') : (copyFrom ?? null)}
        onBack={toList}
        focusField={field ?? null}
        collectionOf={collectionOf}
        domainAcronym={address.levels[0]?.acronym}
        renderTools={(id, label, columns) => (
          <RecordTools
            collection={collection}
            id={id}
            label={label}
            columns={columns}
            settings={settings}
            systemName={address.system.name}
          />
        )}
      />
    );
  }
  if (rest.length === 1 && rest[0] === 'duplicates') {
    return (
      <DuplicatesScreen
        key={collection}
        collection={collection}
        title={leaf.title}
        where={where}
        domainAcronym={address.levels[0]?.acronym}
        settings={settings}
        onBack={toList}
        onOpenForm={(id) => void navigate({ to: `${listPath}/${encodeURIComponent(id)}/edit` })}
      />
    );
  }
  if (rest.length > 0) return <ErrorView code="404" />;
  return (
    <DataTable
      key={collection}
      collection={collection}
      title={leaf.title}
      where={where}
      systemName={address.system.name}
      domainAcronym={address.levels[0]?.acronym}
      viewId={view}
      runId={run}
      pushId={push}
      attribute={hasAttribute && attributeId ? { base: address.collection, id: attributeId } : null}
    />
  );
};
