import type { ManagedUser, UserValues } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../platform/call.ts';
import { takeWork } from '../../platform/saved-work.ts';
import { currentUser } from '../../platform/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import '../../ui/rights.css';
import { useForget, useGrantable, useUsers } from './api.ts';
import { companyOptions, NO_COMPANY } from './company-names.ts';
import { LinkDialog, type LinkToShow } from './link-dialog.tsx';
import { type KeptUser, UserDialog, userWorkKey } from './user-dialog.tsx';

/** The popup that is open: of a user, or of somebody new, who may be like another one. */
interface Editing {
  user: ManagedUser | null;
  copied?: ManagedUser;
  begun?: UserValues;
}

const reopened = (): Editing | null => {
  const kept = takeWork<KeptUser>(userWorkKey);
  return kept ? { user: kept.stored, begun: kept.typed } : null;
};

const COLUMNS = [
  'fullName',
  'providerName',
  'username',
  'email',
  'active',
  'customRights',
  'defaultCompany',
  'roles',
] as const;

const matches = (user: ManagedUser, text: string): boolean =>
  [user.fullName, user.username, user.email, user.identityProviderUsername].some((part) =>
    part?.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase()),
  );

export const StatusBadge = ({ user }: { user: ManagedUser }) => {
  const { t } = useTranslation();
  if (!user.isActive)
    return (
      <span className="badge grey">
        <Icon name="lock" size="s" />
        {t('users.isInactive')}
      </span>
    );
  return (
    <span className={`badge ${user.isPending ? 'info' : 'success'}`}>
      <Icon name={user.isPending ? 'clock' : 'success'} size="s" />
      {t(user.isPending ? 'users.isPending' : 'users.isActive')}
    </span>
  );
};

/** `/manage/users`: who may use the product, and what they may do. */
export const UsersScreen = () => {
  const { t } = useTranslation();
  const { data: users, error } = useUsers();
  const { systems } = useGrantable();
  const forget = useForget();
  const [text, setText] = useState('');
  const [editing, setEditing] = useState(reopened);
  const [deleting, setDeleting] = useState<ManagedUser | null>(null);
  const [link, setLink] = useState<LinkToShow | null>(null);
  usePageTitle(t('users.title'));
  if (error) return <ErrorView error={error} />;
  const companies = new Map(companyOptions(systems).map(({ value, label }) => [value, label]));
  const shown = users?.filter((user) => matches(user, text)) ?? [];
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={users === undefined}>
      <div className="page-in" style={{ maxWidth: 1440 }}>
        <div className="page-h">
          <h1>{t('users.title')}</h1>
          <span className="sub hide-n">{t('users.text')}</span>
          <span className="sp" />
          <span className="field rg-find">
            <Icon name="search" size="s" />
            <input
              aria-label={t('users.find')}
              placeholder={t('users.find')}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </span>
          {currentUser()?.rights['users']?.create ? (
            <button type="button" className="btn primary lg" onClick={() => setEditing({ user: null })}>
              <Icon name="plus" />
              {t('users.invite')}
            </button>
          ) : null}
        </div>
        <section className="card" style={{ overflowX: 'auto' }}>
          {users && shown.length === 0 ? (
            <EmptyState
              icon="search"
              title={t('users.noneFound')}
              text={t('users.noneFoundText', { text: text.trim() })}
            />
          ) : (
            <table className="tbl us-tbl">
              <thead>
                <tr>
                  {COLUMNS.map((column) => (
                    <th key={column} scope="col">
                      {t(`users.${column}`)}
                    </th>
                  ))}
                  <th scope="col">
                    <span className="vh">{t('manage.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((user) => (
                  <tr key={user.internalId}>
                    <td>
                      <button type="button" className="link m" onClick={() => setEditing({ user })}>
                        {user.fullName}
                      </button>
                      {user.isSuperuser ? <div className="mut">{t('users.superuser')}</div> : null}
                    </td>
                    <td className="sec">{user.identityProviderUsername}</td>
                    <td className="sec">{user.username}</td>
                    <td className="sec">{user.email}</td>
                    <td>
                      <StatusBadge user={user} />
                    </td>
                    <td className="sec">
                      {user.customRights.length > 0
                        ? t('users.customCount', { count: user.customRights.length })
                        : t('users.none')}
                    </td>
                    <td className="sec">
                      {user.defaultCompanyId === NO_COMPANY
                        ? t('users.none')
                        : (companies.get(user.defaultCompanyId) ?? t('users.unknownCompany'))}
                    </td>
                    <td>
                      <span className="chips">
                        {user.roles.map((role) => (
                          <span key={role.internalId} className="us-chip">
                            {role.name}
                          </span>
                        ))}
                      </span>
                    </td>
                    <td className="acts">
                      {user.rights.update ? (
                        <button
                          type="button"
                          className="iconbtn"
                          aria-label={`${t('common.edit')}: ${user.fullName}`}
                          onClick={() => setEditing({ user })}
                        >
                          <Icon name="edit" />
                        </button>
                      ) : null}
                      {currentUser()?.rights['users']?.create ? (
                        <button
                          type="button"
                          className="iconbtn"
                          aria-label={`${t('manage.copy')}: ${user.fullName}`}
                          onClick={() => setEditing({ user: null, copied: user })}
                        >
                          <Icon name="copy" />
                        </button>
                      ) : null}
                      {user.rights.delete ? (
                        <button
                          type="button"
                          className="iconbtn"
                          aria-label={`${t('common.delete')}: ${user.fullName}`}
                          onClick={() => setDeleting(user)}
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
      {editing ? (
        <UserDialog
          key={editing.user?.internalId ?? `new:${editing.copied?.internalId ?? ''}`}
          user={editing.user}
          copied={editing.copied}
          begun={editing.begun}
          onClose={() => setEditing(null)}
          onLink={setLink}
        />
      ) : null}
      {link ? <LinkDialog shown={link} onClose={() => setLink(null)} /> : null}
      {deleting ? (
        <Confirm
          title={t('users.delete')}
          text={t('users.deleteText', { name: deleting.fullName })}
          submit={t('common.delete')}
          onConfirm={async () => {
            await call('deleteUser', { params: { userId: deleting.internalId } });
            await forget();
          }}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </main>
  );
};
