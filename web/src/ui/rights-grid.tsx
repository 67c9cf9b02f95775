import type { Crud, EndpointRight, RightEndpoint } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from './icons.tsx';

const ACTIONS = ['create', 'read', 'update', 'delete'] as const;
const NONE: Crud = { create: false, read: false, update: false, delete: false };

/** What this endpoint is part of, the nearest first: all tables of its system, all tables. */
const widerOf = (endpointId: string): string[] => {
  const [kind, systemId, table] = endpointId.split(':');
  if (kind !== 'data' || systemId === '*') return [];
  return table === '*' ? ['data:*'] : [`data:${systemId}:*`, 'data:*'];
};

/** Who may write may read. */
const withRead = (right: Crud): Crud => ({
  ...right,
  read: right.read || right.create || right.update || right.delete,
});

/** Rights by endpoint: a row each, a box for each of the four. What a wider row gives is ticked below it as well. */
export const RightsGrid = ({
  label,
  endpoints,
  rights,
  onChange,
  isReadOnly = false,
}: {
  label: string;
  endpoints: readonly RightEndpoint[];
  rights: readonly EndpointRight[];
  onChange: (rights: EndpointRight[]) => void;
  isReadOnly?: boolean;
}) => {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const own = new Map(rights.map((right) => [right.endpointId, right]));
  const wanted = text.trim().toLocaleLowerCase();
  const known = endpoints.filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
  // Rights on what is gone, or out of the reader's sight, stay as they are and can be taken away.
  const lost = rights
    .filter(({ endpointId }) => !endpoints.some(({ internalId }) => internalId === endpointId))
    .map(({ endpointId }): RightEndpoint => ({
      internalId: endpointId,
      name: endpointId,
      uri: '',
      group: 'data',
      externalSystemId: null,
      create: true,
      read: true,
      update: true,
      delete: true,
    }));
  const shown = wanted === '' ? [...known, ...lost] : known;

  const toggle = (endpoint: RightEndpoint, action: keyof Crud, isOn: boolean): void => {
    const before = own.get(endpoint.internalId) ?? { endpointId: endpoint.internalId, ...NONE };
    const next = { ...before, [action]: isOn };
    // Nobody writes what he cannot read: taking reading away takes the rest along.
    const cleaned =
      action === 'read' && !isOn
        ? { endpointId: endpoint.internalId, ...NONE }
        : { ...withRead(next), endpointId: endpoint.internalId };
    const rest = rights.filter(({ endpointId }) => endpointId !== endpoint.internalId);
    onChange(ACTIONS.some((one) => cleaned[one]) ? [...rest, cleaned] : rest);
  };

  const groups = (['product', 'data'] as const).map((group) => ({
    group,
    list: shown.filter((endpoint) => endpoint.group === group),
  }));
  return (
    <div className="rg">
      <span className="field rg-find">
        <Icon name="search" size="s" />
        <input
          aria-label={`${label}: ${t('rights.find')}`}
          placeholder={t('rights.find')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </span>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
      <section className="rg-scroll" aria-label={label} tabIndex={0}>
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">{t('rights.endpoint')}</th>
              {ACTIONS.map((action) => (
                <th key={action} scope="col" className="c">
                  {t(`rights.${action}`)}
                </th>
              ))}
            </tr>
          </thead>
          {groups.map(({ group, list }) =>
            list.length === 0 ? null : (
              <tbody key={group}>
                <tr>
                  <th scope="rowgroup" colSpan={5} className="rg-group">
                    {t(`rights.${group}`)}
                  </th>
                </tr>
                {list.map((endpoint) => (
                  <Row
                    key={endpoint.internalId}
                    endpoint={endpoint}
                    right={own.get(endpoint.internalId) ?? NONE}
                    wider={widerOf(endpoint.internalId).flatMap((id) => {
                      const right = own.get(id);
                      const name = endpoints.find(({ internalId }) => internalId === id)?.name ?? id;
                      return right ? [{ name, right: withRead(right) }] : [];
                    })}
                    isReadOnly={isReadOnly}
                    onToggle={(action, isOn) => toggle(endpoint, action, isOn)}
                  />
                ))}
              </tbody>
            ),
          )}
        </table>
      </section>
    </div>
  );
};

const Row = ({
  endpoint,
  right,
  wider,
  isReadOnly,
  onToggle,
}: {
  endpoint: RightEndpoint;
  right: Crud;
  wider: readonly { name: string; right: Crud }[];
  isReadOnly: boolean;
  onToggle: (action: keyof Crud, isOn: boolean) => void;
}) => {
  const { t } = useTranslation();
  const isWhole = endpoint.internalId.endsWith('*');
  const isInSystem = endpoint.externalSystemId !== null && !isWhole;
  return (
    <tr>
      <td className={`${isWhole ? 'm' : ''} ${isInSystem ? 'rg-in' : ''}`}>{endpoint.name}</td>
      {ACTIONS.map((action) => {
        const given = wider.find((one) => one.right[action]);
        const isImplied =
          action === 'read' && withRead(right).read && (right.create || right.update || right.delete);
        return (
          <td key={action} className="c">
            {endpoint[action] ? (
              <input
                type="checkbox"
                className="cbx"
                aria-label={t('rights.toEdit', { action: t(`rights.${action}`), name: endpoint.name })}
                title={given ? t('rights.through', { name: given.name }) : undefined}
                checked={given !== undefined || right[action] || isImplied}
                disabled={isReadOnly || given !== undefined || isImplied}
                onChange={(event) => onToggle(action, event.target.checked)}
              />
            ) : null}
          </td>
        );
      })}
    </tr>
  );
};
