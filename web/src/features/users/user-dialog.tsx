import type { AccessLink, ManagedUser, UserValues } from '@sluice/contract';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { currentUser } from '../../platform/session.ts';
import { useStore } from '../../platform/store.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, Switch, TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { RightsGrid } from '../../ui/rights-grid.tsx';
import { isSessionEnding } from '../../ui/overlays.ts';
import { SystemsGrid } from '../../ui/systems-grid.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useUnfinished } from '../../ui/unfinished.tsx';
import { useForget, useGrantable } from './api.ts';
import { companyOptions, NO_COMPANY } from './company-names.ts';
import type { LinkToShow } from './link-dialog.tsx';
import { RoleChips } from './role-chips.tsx';

const whoOf = (user: ManagedUser | null) => ({
  fullName: user?.fullName ?? '',
  username: user?.username ?? null,
  email: user?.email ?? null,
  identityProviderUsername: user?.identityProviderUsername ?? null,
});

const startOf = (user: ManagedUser | null): UserValues => ({
  ...whoOf(user),
  isActive: user?.isActive ?? true,
  isSuperuser: user?.isSuperuser ?? false,
  defaultCompanyId: user?.defaultCompanyId ?? NO_COMPANY,
  roleIds: user?.roles.map(({ internalId }) => internalId) ?? [],
  customRights: user?.customRights ?? [],
  externalSystemRights: user?.externalSystemRights ?? [],
});

/** Somebody new with the roles and rights of another one: who it is, is entered, and a superuser is made on purpose. */
const likeOf = (user: ManagedUser): UserValues => ({
  ...startOf(user),
  ...whoOf(null),
  isActive: true,
  isSuperuser: false,
});

/** Only what differs is sent: what the editor may not touch stays out of it. */
const changesOf = (before: UserValues, after: UserValues): Partial<UserValues> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof UserValues]),
    ),
  );

const blank = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** What is kept of the popup: with the user it began with, so that what others saved meanwhile is a conflict. */
export interface KeptUser {
  stored: ManagedUser | null;
  typed: UserValues;
}
export const userWorkKey = 'user';

/** The popup of a user: who it is, what he may do; for somebody new, the invitation. */
export const UserDialog = ({
  user,
  copied,
  begun,
  onClose,
  onLink,
}: {
  user: ManagedUser | null;
  /** Whose rights somebody new begins with. */
  copied: ManagedUser | undefined;
  /** What was typed when the session ended. */
  begun: UserValues | undefined;
  onClose: () => void;
  onLink: (shown: LinkToShow) => void;
}) => {
  const { t } = useTranslation();
  const forget = useForget();
  const { roles, endpoints, systems } = useGrantable();
  const [stored, setStored] = useState(user);
  const [start] = useState(() => (copied ? likeOf(copied) : null));
  const [typed, setTyped] = useState(() => begun ?? start ?? startOf(user));
  const { question, leave, finish } = useUnfinished(userWorkKey, {
    start: start ?? startOf(stored),
    typed,
    keep: (values): KeptUser => ({ stored, typed: values }),
  });
  // Out of the way of the warning that the session ends (SESS-05), and back as it was when somebody stays.
  const isPutAway = useStore(isSessionEnding);
  const close = (): void => leave(onClose);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const [isRemovingFactor, setRemovingFactor] = useState(false);
  const set = (change: Partial<UserValues>): void => setTyped((now) => ({ ...now, ...change }));
  const mayUpdate = stored?.rights.update ?? true;
  const mayIdentity = stored?.rights.identity ?? true;
  const isSuperuser = currentUser()?.user.isSuperuser ?? false;
  const companies = companyOptions(systems);
  const isCompanyKnown =
    typed.defaultCompanyId === NO_COMPANY || companies.some(({ value }) => value === typed.defaultCompanyId);

  const fail = (error: unknown): void => {
    if (error instanceof ApiError && error.fieldErrors.length > 0)
      setErrors(Object.fromEntries(error.fieldErrors.map((one) => [one.field, one.message])));
    if (error instanceof ApiError && error.code === 'REVISION_CONFLICT') {
      const now = error.body?.details?.['resource'] as ManagedUser | undefined;
      if (now) {
        setStored(now);
        setTyped(startOf(now));
      }
      toast('warning', t('users.conflict'));
      return;
    }
    toast('error', errorText(error));
  };

  const show = (link: AccessLink | null): void => {
    if (!link) return;
    if (link.mailedTo) toast('success', t('users.linkMailed', { address: link.mailedTo }));
    else onLink({ link, name: typed.fullName });
  };

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const found: Record<string, string> = {};
    if (typed.fullName.trim() === '') found['fullName'] = t('manage.required');
    if (!typed.username && !typed.identityProviderUsername) found['username'] = t('manage.required');
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    try {
      if (stored) {
        const changes = changesOf(startOf(stored), typed);
        await call('updateUser', {
          params: { userId: stored.internalId },
          body: { revision: stored.revision, changes },
        });
        toast('success', t('users.saved'));
      } else show((await call('createUser', { body: typed })).invitation);
      finish();
      await forget();
      onClose();
    } catch (error) {
      setBusy(false);
      fail(error);
    }
  };

  const sendLink = async (): Promise<void> => {
    if (!stored) return;
    const params = { userId: stored.internalId };
    try {
      const link = stored.isPending
        ? await call('inviteUser', { params })
        : await call('resetUserPassword', { params });
      onClose();
      show(link);
    } catch (error) {
      fail(error);
    }
  };

  /** At once, without waiting for Save: what is taken away is taken away. */
  const removeRole = async (roleId: string): Promise<void> => {
    const rest = typed.roleIds.filter((id) => id !== roleId);
    if (stored?.roles.some(({ internalId }) => internalId === roleId)) {
      const roleIds = stored.roles.map(({ internalId }) => internalId).filter((id) => id !== roleId);
      const { resource } = await call('updateUser', {
        params: { userId: stored.internalId },
        body: { revision: stored.revision, changes: { roleIds } },
      });
      setStored(resource);
      await forget();
    }
    set({ roleIds: rest });
  };

  const canLink = stored !== null && mayIdentity && stored.isActive && stored.username !== null;
  return (
    <Dialog
      isOpen={!isPutAway}
      onClose={close}
      onPutAway={() => undefined}
      title={
        stored?.fullName ??
        (copied ? t('users.copyTitle', { name: copied.fullName }) : t('users.inviteTitle'))
      }
      subtitle={stored?.isPending ? t('users.isPending') : undefined}
      width={860}
      isTall
    >
      <form
        onSubmit={(event) => void submit(event)}
        noValidate
        style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 }}
      >
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
        <section className="us-body" aria-label={t('users.section')} tabIndex={0}>
          {mayUpdate ? null : <p className="note-line in">{t('users.readOnly')}</p>}
          {mayUpdate && !mayIdentity ? <p className="note-line in">{t('users.noIdentity')}</p> : null}
          <fieldset className="fs" disabled={!mayUpdate}>
            <div className="frm">
              <TextField
                label={t('users.fullName')}
                value={typed.fullName}
                error={errors['fullName']}
                isRequired
                onChange={(fullName) => set({ fullName })}
                data-autofocus
              />
              <TextField
                label={t('users.email')}
                type="email"
                value={typed.email ?? ''}
                error={errors['email']}
                disabled={!mayIdentity}
                onChange={(email) => set({ email: blank(email) })}
              />
              <TextField
                label={t('users.username')}
                hint={t('users.usernameHint')}
                value={typed.username ?? ''}
                error={errors['username']}
                autoCapitalize="none"
                spellCheck={false}
                disabled={!mayIdentity}
                onChange={(username) => set({ username: blank(username) })}
              />
              <TextField
                label={t('users.providerName')}
                hint={t('users.providerHint')}
                value={typed.identityProviderUsername ?? ''}
                error={errors['identityProviderUsername']}
                autoCapitalize="none"
                spellCheck={false}
                disabled={!mayIdentity}
                onChange={(name) => set({ identityProviderUsername: blank(name) })}
              />
              <SelectField
                label={t('users.defaultCompany')}
                hint={t('users.defaultCompanyHint')}
                value={typed.defaultCompanyId}
                options={[
                  { value: NO_COMPANY, label: t('users.none') },
                  ...companies,
                  ...(isCompanyKnown
                    ? []
                    : [{ value: typed.defaultCompanyId, label: t('users.unknownCompany') }]),
                ]}
                isDisabled={!mayUpdate}
                onChange={(defaultCompanyId) => set({ defaultCompanyId })}
              />
              <div>
                <Switch
                  label={t('users.active')}
                  isOn={typed.isActive}
                  isDisabled={!mayUpdate}
                  onChange={(isActive) => set({ isActive })}
                />
                <p className="us-hint">{t('users.activeHint')}</p>
                {isSuperuser ? (
                  <>
                    <Switch
                      label={t('users.superuser')}
                      isOn={typed.isSuperuser}
                      onChange={(is) => set({ isSuperuser: is })}
                    />
                    <p className="us-hint">{t('users.superuserHint')}</p>
                  </>
                ) : null}
              </div>
            </div>
            {typed.isSuperuser ? null : (
              <>
                <h3 className="sect">{t('users.roles')}</h3>
                <div className="in">
                  <RoleChips
                    name={typed.fullName}
                    roles={roles}
                    roleIds={typed.roleIds}
                    isReadOnly={!mayUpdate}
                    onAdd={(roleId) => set({ roleIds: [...typed.roleIds, roleId] })}
                    onRemove={removeRole}
                  />
                </div>
                <h3 className="sect">{t('users.systems')}</h3>
                <div className="in">
                  <p className="us-hint">{t('users.systemsHint')}</p>
                  <SystemsGrid
                    systems={systems}
                    rights={typed.externalSystemRights}
                    isReadOnly={!mayUpdate}
                    onChange={(externalSystemRights) => set({ externalSystemRights })}
                  />
                </div>
                <h3 className="sect">{t('users.customRights')}</h3>
                <div className="in">
                  <p className="us-hint">{t('users.customRightsHint')}</p>
                  <RightsGrid
                    label={t('users.customRights')}
                    endpoints={endpoints}
                    rights={typed.customRights}
                    isReadOnly={!mayUpdate}
                    onChange={(customRights) => set({ customRights })}
                  />
                </div>
              </>
            )}
          </fieldset>
        </section>
        <div className="dlg-f">
          {canLink ? (
            <button type="button" className="btn lg" onClick={() => leave(() => void sendLink())}>
              {t(stored.isPending ? 'users.linkInvite' : 'users.linkReset')}
            </button>
          ) : null}
          {stored?.hasSecondFactor && mayIdentity ? (
            <button type="button" className="btn lg" onClick={() => leave(() => setRemovingFactor(true))}>
              {t('users.removeFactor')}
            </button>
          ) : null}
          <span className="sp" />
          <button type="button" className="btn lg" onClick={close}>
            {t(mayUpdate ? 'common.cancel' : 'common.close')}
          </button>
          {mayUpdate ? (
            <button type="submit" className="btn primary lg" disabled={isBusy}>
              {isBusy ? <Icon name="spinner" size="spin" /> : null}
              {t(stored ? 'common.save' : 'users.invite')}
            </button>
          ) : null}
        </div>
      </form>
      {isRemovingFactor && stored ? (
        <Confirm
          title={t('users.removeFactor')}
          text={t('users.removeFactorText', { name: stored.fullName })}
          submit={t('common.remove')}
          onConfirm={async () => {
            await call('removeSecondFactor', { params: { userId: stored.internalId } });
            await forget();
            onClose();
          }}
          onClose={() => setRemovingFactor(false)}
        />
      ) : null}
      {question}
    </Dialog>
  );
};
