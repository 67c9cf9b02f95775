import type { Role } from '@sluice/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../platform/call.ts';
import { currentUser } from '../../platform/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { useForget, useRoles } from './api.ts';

/** `/manage/roles`: bundles of rights, and who has them. */
export const RolesScreen = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const forget = useForget();
  const { data: roles, error } = useRoles();
  const [deleting, setDeleting] = useState<Role | null>(null);
  usePageTitle(t('roles.title'));
  if (error) return <ErrorView error={error} />;
  const rights = currentUser()?.rights['roles'];
  const add = (
    <button
      type="button"
      className="btn primary lg"
      onClick={() => void navigate({ to: '/manage/roles/new' })}
    >
      <Icon name="plus" />
      {t('roles.new')}
    </button>
  );
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={roles === undefined}>
      <div className="page-in">
        <div className="page-h">
          <h1>{t('roles.title')}</h1>
          <span className="sub">{t('roles.text')}</span>
          <span className="sp" />
          {rights?.create ? add : null}
        </div>
        <section className="card">
          {roles?.length === 0 ? (
            <EmptyState icon="lock" title={t('roles.empty')} text={t('roles.emptyText')} />
          ) : (
            <table className="tbl">
              <thead>
                <tr>
                  <th scope="col">{t('common.name')}</th>
                  <th scope="col">{t('roles.description')}</th>
                  <th scope="col">{t('roles.rights')}</th>
                  <th scope="col">{t('roles.users')}</th>
                  <th scope="col">
                    <span className="vh">{t('manage.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {roles?.map((role) => (
                  <tr key={role.internalId}>
                    <td>
                      <Link
                        className="m"
                        to="/manage/roles/$roleId/edit"
                        params={{ roleId: role.internalId }}
                      >
                        {role.name}
                      </Link>
                    </td>
                    <td className="sec">{role.description}</td>
                    <td className="sec">{t('users.customCount', { count: role.rights.length })}</td>
                    <td className="sec" title={role.users.map(({ fullName }) => fullName).join(', ')}>
                      {t('roles.userCount', { count: role.userCount })}
                    </td>
                    <td className="acts">
                      {rights?.update ? (
                        <button
                          type="button"
                          className="iconbtn"
                          aria-label={`${t('common.edit')}: ${role.name}`}
                          onClick={() =>
                            void navigate({
                              to: '/manage/roles/$roleId/edit',
                              params: { roleId: role.internalId },
                            })
                          }
                        >
                          <Icon name="edit" />
                        </button>
                      ) : null}
                      {rights?.create ? (
                        <button
                          type="button"
                          className="iconbtn"
                          aria-label={`${t('manage.copy')}: ${role.name}`}
                          onClick={() =>
                            void navigate({ to: '/manage/roles/new', search: { copyFrom: role.internalId } })
                          }
                        >
                          <Icon name="copy" />
                        </button>
                      ) : null}
                      {rights?.delete ? (
                        <button
                          type="button"
                          className="iconbtn"
                          aria-label={`${t('common.delete')}: ${role.name}`}
                          onClick={() => setDeleting(role)}
                        >
                          <Icon name="trash" />
                        </button>
                      ) : null}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      </div>
      {deleting ? (
        <Confirm
          title={t('roles.delete')}
          text={
            deleting.userCount === 0
              ? t('roles.deleteText', { name: deleting.name })
              : t('roles.deleteUsed', {
                  name: deleting.name,
                  names: deleting.users.map(({ fullName }) => fullName).join(', '),
                })
          }
          submit={t('common.delete')}
          onConfirm={async () => {
            const query = deleting.userCount > 0 ? { confirm: 'true' as const } : {};
            await call('deleteRole', { params: { roleId: deleting.internalId }, query });
            await forget();
          }}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </main>
  );
};
