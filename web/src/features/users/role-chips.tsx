import type { Role } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';

/** The roles of a user; one is removed only after the question. */
export const RoleChips = ({
  name,
  roles,
  roleIds,
  isReadOnly,
  onAdd,
  onRemove,
}: {
  name: string;
  roles: readonly Role[];
  roleIds: readonly string[];
  isReadOnly: boolean;
  onAdd: (roleId: string) => void;
  onRemove: (roleId: string) => Promise<void>;
}) => {
  const { t } = useTranslation();
  const [removing, setRemoving] = useState<Role | null>(null);
  const own = roles.filter(({ internalId }) => roleIds.includes(internalId));
  const others = roles.filter(({ internalId }) => !roleIds.includes(internalId));
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 8 }}>
      {own.length === 0 ? <span className="mut">{t('users.noRoles')}</span> : null}
      {own.map((role) => (
        <span key={role.internalId} className="us-chip" title={role.description}>
          {role.name}
          {isReadOnly ? null : (
            <button
              type="button"
              aria-label={t('users.removeRole', { role: role.name })}
              onClick={() => setRemoving(role)}
            >
              <Icon name="close" size="s" />
            </button>
          )}
        </span>
      ))}
      {isReadOnly || others.length === 0 ? null : (
        <span className="fl">
          <span className="inp sm">
            <select
              aria-label={t('users.addRole')}
              value=""
              onChange={(event) => {
                if (event.target.value !== '') onAdd(event.target.value);
              }}
            >
              <option value="">{t('users.addRole')}</option>
              {others.map((role) => (
                <option key={role.internalId} value={role.internalId}>
                  {role.name}
                </option>
              ))}
            </select>
          </span>
        </span>
      )}
      {removing ? (
        <Confirm
          title={t('users.removeRoleTitle')}
          text={t('users.removeRoleText', { name, role: removing.name })}
          submit={t('common.remove')}
          onConfirm={() => onRemove(removing.internalId)}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </div>
  );
};
