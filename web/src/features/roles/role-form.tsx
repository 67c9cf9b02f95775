import type { Role, RoleValues } from '@sluice/contract';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { takeWork } from '../../platform/saved-work.ts';
import { currentUser } from '../../platform/session.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import '../../ui/rights.css';
import { RightsGrid } from '../../ui/rights-grid.tsx';
import { SystemsGrid } from '../../ui/systems-grid.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useUnfinished } from '../../ui/unfinished.tsx';
import { useEndpoints, useForget, useRoles, useSystems } from './api.ts';

const startOf = (role: Role | null): RoleValues => ({
  name: role?.name ?? '',
  description: role?.description ?? '',
  rights: role?.rights ?? [],
  externalSystemRights: role?.externalSystemRights ?? [],
});

/** What is kept of a form: with the role it began with, so that what others saved meanwhile is a conflict. */
interface Kept {
  stored: Role | null;
  typed: RoleValues;
}

/** Of a role, of a new one, or of a new one that begins as a copy. */
const Form = ({ begun: role, copied = null }: { begun: Role | null; copied?: Role | null }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const forget = useForget();
  const endpoints = useEndpoints().data ?? [];
  const systems = useSystems().data ?? [];
  const workKey = `role:${role?.internalId ?? ''}:${copied?.internalId ?? ''}`;
  const [copy] = useState<RoleValues | null>(
    () => copied && { ...startOf(copied), name: t('manage.copyName', { name: copied.name }) },
  );
  const [kept] = useState(() => takeWork<Kept>(workKey));
  const [stored, setStored] = useState(kept?.stored ?? role);
  const [typed, setTyped] = useState(kept?.typed ?? copy ?? startOf(role));
  const { question, finish } = useUnfinished(workKey, {
    start: copy ?? startOf(stored),
    typed,
    keep: (values): Kept => ({ stored, typed: values }),
  });
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const title = copied
    ? t('roles.copyTitle', { name: copied.name })
    : stored
      ? t('roles.editTitle', { name: stored.name })
      : t('roles.newTitle');
  usePageTitle(title);
  const isReadOnly = stored !== null && !currentUser()?.rights['roles']?.update;
  const set = (change: Partial<RoleValues>): void => setTyped((now) => ({ ...now, ...change }));
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (typed.name.trim() === '') {
      setFault(t('manage.required'));
      return;
    }
    setBusy(true);
    setFault(null);
    try {
      await (stored
        ? call('updateRole', {
            params: { roleId: stored.internalId },
            body: { revision: stored.revision, changes: typed },
          })
        : call('createRole', { body: typed }));
      finish();
      await forget();
      toast('success', t('users.saved'));
      await navigate({ to: '/manage/roles' });
    } catch (error) {
      setBusy(false);
      const field = error instanceof ApiError ? error.fieldErrors.find((one) => one.field === 'name') : null;
      if (field) setFault(field.message);
      else if (error instanceof ApiError && error.code === 'REVISION_CONFLICT' && stored) {
        const { resource } = await call('getRole', { params: { roleId: stored.internalId } });
        setStored(resource);
        toast('warning', t('users.conflict'));
        setTyped(startOf(resource));
      } else toast('error', errorText(error));
    }
  };
  return (
    <main id="main" tabIndex={-1} style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 }}>
      <form onSubmit={(event) => void submit(event)} noValidate style={{ display: 'contents' }}>
        <div className="page">
          <fieldset
            className="fs page-in"
            disabled={isReadOnly}
            style={{ display: 'grid', gap: 12, maxWidth: 860 }}
          >
            <Link
              to="/manage/roles"
              className="m"
              style={{ display: 'inline-flex', alignItems: 'center', gap: 2 }}
            >
              <Icon name="back" size="s" />
              {t('roles.title')}
            </Link>
            <div className="page-h" style={{ marginBottom: 0 }}>
              <h1>{title}</h1>
            </div>
            {isReadOnly ? <p className="note-line">{t('roles.readOnly')}</p> : null}
            <section className="card">
              <h2 className="sect">{t('form.general')}</h2>
              <div className="frm">
                <TextField
                  label={t('common.name')}
                  value={typed.name}
                  error={fault}
                  isRequired
                  maxLength={100}
                  onChange={(name) => set({ name })}
                />
                <TextField
                  label={t('roles.description')}
                  value={typed.description}
                  maxLength={500}
                  onChange={(description) => set({ description })}
                />
              </div>
            </section>
            <section className="card">
              <h2 className="sect">{t('roles.rights')}</h2>
              <div style={{ padding: '0 16px 16px' }}>
                <RightsGrid
                  label={t('roles.rights')}
                  endpoints={endpoints}
                  rights={typed.rights}
                  isReadOnly={isReadOnly}
                  onChange={(rights) => set({ rights })}
                />
              </div>
            </section>
            <section className="card">
              <h2 className="sect">{t('roles.systems')}</h2>
              <div style={{ padding: '0 16px 16px' }}>
                <p className="us-hint">{t('users.systemsHint')}</p>
                <SystemsGrid
                  systems={systems}
                  rights={typed.externalSystemRights}
                  isReadOnly={isReadOnly}
                  onChange={(externalSystemRights) => set({ externalSystemRights })}
                />
              </div>
            </section>
            {stored ? (
              <section className="card">
                <h2 className="sect">{t('roles.users')}</h2>
                <p className="sec" style={{ padding: '0 16px 16px' }}>
                  {stored.users.map(({ fullName }) => fullName).join(', ') || t('roles.nobody')}
                </p>
              </section>
            ) : null}
          </fieldset>
        </div>
        <div className="dlg-f">
          <span className="sp" />
          <button type="button" className="btn lg" onClick={() => void navigate({ to: '/manage/roles' })}>
            {t('common.cancel')}
          </button>
          <button type="submit" className="btn primary lg" disabled={isBusy || isReadOnly}>
            {t(isBusy ? 'common.saving' : 'common.save')}
          </button>
        </div>
      </form>
      {question}
    </main>
  );
};

/** A role that the address names, once all are there. */
const WithRole = ({ roleId, children }: { roleId: string; children: (role: Role) => ReactNode }) => {
  const { data: roles, error } = useRoles();
  if (error) return <ErrorView error={error} />;
  if (!roles) return <main className="page" id="main" tabIndex={-1} aria-busy="true" />;
  const role = roles.find(({ internalId }) => internalId === roleId);
  return role ? children(role) : <ErrorView code="404" />;
};

export const NewRoleScreen = () => {
  const { copyFrom } = useSearch({ from: '/inside/manage/roles/new' });
  if (copyFrom === undefined) return <Form begun={null} />;
  return (
    <WithRole roleId={copyFrom}>{(role) => <Form key={copyFrom} begun={null} copied={role} />}</WithRole>
  );
};

export const EditRoleScreen = () => {
  const { roleId } = useParams({ from: '/inside/manage/roles/$roleId/edit' });
  return <WithRole roleId={roleId}>{(role) => <Form key={roleId} begun={role} />}</WithRole>;
};
