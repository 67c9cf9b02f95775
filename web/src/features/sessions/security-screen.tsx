import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { currentUser } from '../../platform/session.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { PasswordField } from './password-field.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SetUpFactor } from './set-up-factor.tsx';
import { WithPassword } from './with-password.tsx';

const LEAST = 12;

const PasswordCard = () => {
  const { t } = useTranslation();
  const [values, setValues] = useState({ current: '', next: '', again: '' });
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const found = {
      ...(values.current === '' ? { currentPassword: t('manage.required') } : {}),
      ...(values.next.length < LEAST ? { newPassword: t('security.tooShort') } : {}),
      ...(values.next === values.again ? {} : { again: t('security.differ') }),
    };
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    try {
      const body = { currentPassword: values.current, newPassword: values.next };
      await call('changePassword', { body });
      setValues({ current: '', next: '', again: '' });
      toast('success', t('security.changed'));
    } catch (error) {
      if (error instanceof ApiError && error.fieldErrors.length > 0)
        setFaults(Object.fromEntries(error.fieldErrors.map((one) => [one.field, one.message])));
      else toast('error', errorText(error));
    }
    setBusy(false);
  };
  return (
    <form className="card" onSubmit={(event) => void submit(event)} noValidate>
      <h2 className="sect">{t('security.password')}</h2>
      <p className="sec" style={{ padding: '0 16px 8px' }}>
        {t('security.passwordText')}
      </p>
      <input type="text" autoComplete="username" value={currentUser()?.user.username ?? ''} readOnly hidden />
      <div className="frm">
        <PasswordField
          label={t('security.current')}
          value={values.current}
          autoComplete="current-password"
          error={faults['currentPassword']}
          onChange={(current) => setValues((now) => ({ ...now, current }))}
        />
        <PasswordField
          label={t('security.new')}
          value={values.next}
          autoComplete="new-password"
          error={faults['newPassword']}
          onChange={(next) => setValues((now) => ({ ...now, next }))}
        />
        <PasswordField
          label={t('security.again')}
          value={values.again}
          autoComplete="new-password"
          error={faults['again']}
          onChange={(again) => setValues((now) => ({ ...now, again }))}
        />
      </div>
      <div style={{ padding: '0 16px 16px' }}>
        <button type="submit" className="btn primary lg" disabled={isBusy}>
          {t('security.change')}
        </button>
      </div>
    </form>
  );
};

type Asking = 'begin' | 'renew' | 'off' | null;

const FactorCard = ({ isOn, left }: { isOn: boolean; left: number }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [asking, setAsking] = useState<Asking>(null);
  const [secret, setSecret] = useState<{ secret: string; uri: string; qr: string } | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const refresh = async (): Promise<void> => await client.invalidateQueries({ queryKey: ['security'] });
  const act = async (password: string): Promise<void> => {
    const body = { password };
    if (asking === 'begin') setSecret(await call('beginSecondFactor', { body }));
    if (asking === 'renew') setCodes((await call('renewRecoveryCodes', { body })).recoveryCodes);
    if (asking === 'off') await call('endSecondFactor', { body });
    setAsking(null);
    await refresh();
  };
  return (
    <section className="card">
      <h2 className="sect">{t('security.factor')}</h2>
      <div style={{ display: 'grid', gap: 12, padding: '0 16px 16px' }}>
        <p className="sec">{t('security.factorText')}</p>
        {isOn ? (
          <p className={`note-line ${left < 3 ? 'warn' : 'good'}`}>
            <Icon name={left < 3 ? 'warning' : 'success'} />
            <span>
              {t('security.factorOn')} {t('security.codesLeft', { count: left })}{' '}
              {left < 3 ? t('security.codesFew') : null}
            </span>
          </p>
        ) : null}
        <div style={{ display: 'flex', gap: 8, flexWrap: 'wrap' }}>
          {isOn ? (
            <>
              <button type="button" className="btn lg" onClick={() => setAsking('renew')}>
                {t('security.renew')}
              </button>
              <button type="button" className="btn lg" onClick={() => setAsking('off')}>
                {t('security.off')}
              </button>
            </>
          ) : (
            <button type="button" className="btn lg" onClick={() => setAsking('begin')}>
              {t('security.begin')}
            </button>
          )}
        </div>
      </div>
      {asking ? <WithPassword onGo={act} onClose={() => setAsking(null)} /> : null}
      {secret ? (
        <SetUpFactor
          {...secret}
          onClose={() => setSecret(null)}
          onDone={(recoveryCodes) => {
            setSecret(null);
            setCodes(recoveryCodes);
            void refresh();
          }}
        />
      ) : null}
      {codes ? <RecoveryCodes codes={codes} onClose={() => setCodes(null)} /> : null}
    </section>
  );
};

/** `/account`: the own password and second factor. */
export const SecurityScreen = () => {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey: ['security'],
    queryFn: () => call('getSecurity'),
    retry: false,
  });
  usePageTitle(t('security.title'));
  if (error) return <ErrorView error={error} />;
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={data === undefined}>
      <div className="page-in" style={{ display: 'grid', gap: 12, maxWidth: 760 }}>
        <div className="page-h" style={{ marginBottom: 0 }}>
          <h1>{t('security.title')}</h1>
        </div>
        {data?.hasPassword ? (
          <>
            <PasswordCard />
            <FactorCard isOn={data.secondFactor.isOn} left={data.secondFactor.recoveryCodesLeft} />
          </>
        ) : null}
        {data && !data.hasPassword ? (
          <p className="note-line">
            <Icon name="info" />
            {t('security.noPassword')}
          </p>
        ) : null}
      </div>
    </main>
  );
};
