import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { RecordForm } from '../features/records/record-form.tsx';
import { choose, dataLeaves, savedLevelIds, useMenu, useSystems } from '../features/systems/api.ts';
import { leafPath, readAddress } from '../features/systems/level-tree.ts';
import { call } from '../platform/call.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorView } from '../ui/error-view.tsx';
import { DataTable } from './data-table.tsx';

const AttributePicker = ({
  collection,
  title,
  base,
}: {
  collection: string;
  title: string;
  base: string;
}) => {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['attributes', collection],
    queryFn: () => call('getAttributes', { params: { collection }, query: { limit: -1, offset: 0 } }),
  });
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in">
        <div className="page-h">
          <h1>{title}</h1>
        </div>
        <section className="card">
          <h2>{t('table.attributeTitle')}</h2>
          {data?.resources.length === 0 ? <EmptyState icon="table" title={t('table.attributeNone')} /> : null}
          {data?.resources.map((attribute) => {
            const to: string = `${base}/${encodeURIComponent(attribute.attributeId)}`;
            return (
              <Link key={attribute.attributeId} className="l1 drop-a" to={to}>
                {attribute.attributeName}
              </Link>
            );
          })}
        </section>
      </div>
    </main>
  );
};

/** `/data/…`: finds out which table, record or picker a path means, and puts the features together. */
export const DataRoute = () => {
  const { _splat: path = '' } = useParams({ from: '/inside/data/$' });
  const { copyFrom, view, field } = useSearch({ from: '/inside/data/$' });
  const navigate = useNavigate();
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
  if (!address || !menu) return <main className="page" id="main" tabIndex={-1} aria-busy="true" />;
  const leaf = dataLeaves(menu).find((one) => one.resourceTypeUriId === address.resource);
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
  if (isPicking) return <AttributePicker collection={collection} title={leaf.title} base={listPath} />;

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
        renderTools={() => null}
      />
    );
  }
  if (rest.length > 0) return <ErrorView code="404" />;
  const where = [address.system.name, ...address.levels.map((level) => level.name)].join(', ');
  return (
    <DataTable
      key={collection}
      collection={collection}
      title={leaf.title}
      where={where}
      systemName={address.system.name}
      domainAcronym={address.levels[0]?.acronym}
      viewId={view}
    />
  );
};
