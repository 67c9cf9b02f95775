import type { AdapterKind, Domain } from '@sluice/contract';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type FormEvent, Fragment, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { routes } from '../../platform/routes.ts';
import { takeWork } from '../../platform/saved-work.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { SelectField, Switch, TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { useUnfinished } from '../../ui/unfinished.tsx';
import { useActivity, useDomain, useForget, useManagedSystem } from './api.ts';
import { ConfigInput } from './config-input.tsx';
import { ConnectionTest } from './connection-test.tsx';
import { DomainCalls } from './domain-calls.tsx';
import { DomainHistory } from './domain-history.tsx';
import { DomainState } from './domain-state.tsx';
import { configBody, isCount, SETTING, startOf, type Typed, withoutSecrets } from './domain-values.ts';
import './domains.css';
import { DraftFrom } from './draft-from.tsx';
import { FilesCard } from './files-card.tsx';

const Form = ({
  systemId,
  systemName,
  kind,
  domain,
  copied = null,
  head,
  foot,
}: {
  systemId: string;
  systemName: string;
  kind: AdapterKind;
  domain: Domain | null;
  /** What a new one begins as: all of it but its acronym and its secrets. */
  copied?: Domain | null;
  /** Before and after the fields. */
  head?: ReactNode;
  foot?: ReactNode;
}) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const forget = useForget();
  const [start] = useState(() =>
    copied
      ? { ...startOf(copied, kind), name: t('manage.copyName', { name: copied.name }), acronym: '' }
      : startOf(domain, kind),
  );
  const workKey = `domain:${systemId}:${domain?.internalId ?? ''}:${copied?.internalId ?? ''}`;
  const [typed, setTyped] = useState(() => takeWork<Typed>(workKey) ?? start);
  const { question, finish } = useUnfinished(workKey, {
    start,
    typed,
    keep: (values) => withoutSecrets(values, kind),
  });
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const title = copied
    ? t('manage.copyDomainTitle', { name: copied.name })
    : domain
      ? t('manage.editDomainTitle', { name: domain.name })
      : t('manage.newDomainTitle', { system: systemName });
  usePageTitle(title);
  const isReadOnly = domain !== null && !domain.rights.update;
  // What was wrong with an input is no longer said of what is typed there now.
  const settle = (names: readonly string[]): void =>
    setErrors((now) => Object.fromEntries(Object.entries(now).filter(([name]) => !names.includes(name))));
  const set = (change: Partial<Typed>): void => {
    setTyped((now) => ({ ...now, ...change }));
    settle(Object.keys(change));
  };
  const setConfig = (name: string, value: string): void => {
    setTyped((now) => ({ ...now, config: { ...now.config, [name]: value } }));
    settle([name]);
  };
  const fields = kind.configFields.filter(
    ({ showIf }) =>
      !showIf ||
      (showIf.field === 'authType' ? typed.authType : (typed.config[showIf.field] ?? '')) === showIf.equals,
  );
  const hasSecret = (name: string): boolean =>
    (name === 'password' && domain?.hasPassword === true) ||
    (name === 'clientSecret' && domain?.hasClientSecret === true) ||
    (domain?.secretSettings.includes(name.slice(SETTING.length)) ?? false);

  const check = (): Record<string, string> => {
    const found: Record<string, string> = {};
    if (typed.name.trim() === '') found['name'] = t('manage.required');
    if (typed.acronym.trim() === '') found['acronym'] = t('manage.required');
    for (const field of fields) {
      const isKept = field.type === 'secret' && domain !== null;
      if (field.isMandatory && !isKept && !typed.config[field.name]?.trim())
        found[field.name] = t('manage.required');
    }
    if (!isCount(typed.cacheRefreshMinutes)) found['cacheRefreshMinutes'] = t('manage.positiveInteger');
    if (typed.maxApiCalls.trim() !== '' && !isCount(typed.maxApiCalls))
      found['maxApiCalls'] = t('manage.positiveInteger');
    return found;
  };

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const found = check();
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    const body = {
      ...configBody(typed),
      name: typed.name.trim(),
      acronym: typed.acronym.trim(),
      isProduction: typed.isProduction,
      isActive: typed.isActive,
      cacheRefreshMinutes: Number(typed.cacheRefreshMinutes),
      maxApiCalls: typed.maxApiCalls.trim() === '' ? null : Number(typed.maxApiCalls),
    };
    try {
      const saved = domain
        ? await call('updateDomain', { params: { systemId, domainId: domain.internalId }, body })
        : await call('createDomain', { params: { systemId }, body });
      finish();
      await forget();
      const next = kind.takesFiles
        ? 'manage.savedFiles'
        : kind.hasCompanies
          ? 'manage.savedNext'
          : 'manage.saved';
      toast('success', t(domain ? 'manage.saved' : next));
      if (!domain && kind.takesFiles) {
        await navigate({
          to: '/manage/systems/$systemId/domains/$domainId/edit',
          params: { systemId, domainId: saved.internalId },
        });
        return;
      }
      await (domain || !kind.hasCompanies
        ? navigate({ to: routes.manageSystems, params: { systemId } })
        : navigate({
            to: '/manage/systems/$systemId/domains/$domainId/companies',
            params: { systemId, domainId: saved.internalId },
          }));
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.fieldErrors.length > 0) {
        setErrors(Object.fromEntries(error.fieldErrors.map((one) => [one.field, one.message])));
      }
      toast('error', errorText(error));
    }
  };
  return (
    <main id="main" tabIndex={-1} style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 }}>
      <form onSubmit={(event) => void submit(event)} noValidate style={{ display: 'contents' }}>
        <div className="page">
          <div className="page-in" style={{ display: 'grid', gap: 12, maxWidth: 760 }}>
            <Link
              to={routes.manageSystems}
              params={{ systemId }}
              className="m"
              style={{ display: 'inline-flex', alignItems: 'center', gap: 2 }}
            >
              <Icon name="back" size="s" />
              {t('manage.domainsOf', { system: systemName })}
            </Link>
            <div className="page-h" style={{ marginBottom: 0 }}>
              <h1>{title}</h1>
            </div>
            {isReadOnly ? <p className="note-line">{t('manage.noRight')}</p> : null}
            {copied ? <p className="note-line">{t('manage.copySecrets')}</p> : null}
            {head}
            <fieldset className="fs dm-fields" disabled={isReadOnly}>
              <section className="card">
                <h2 className="sect">{t('form.general')}</h2>
                <div className="frm">
                  <TextField
                    label={t('common.name')}
                    value={typed.name}
                    error={errors['name']}
                    isRequired
                    onChange={(name) => set({ name })}
                  />
                  <TextField
                    label={t('manage.acronym')}
                    value={typed.acronym}
                    error={errors['acronym']}
                    hint={t('manage.acronymHint')}
                    isRequired
                    maxLength={20}
                    onChange={(acronym) => set({ acronym })}
                  />
                  <TextField
                    label={`${t('manage.cacheRefresh')} (${t('manage.minutesLabel')})`}
                    inputMode="numeric"
                    value={typed.cacheRefreshMinutes}
                    error={errors['cacheRefreshMinutes']}
                    onChange={(cacheRefreshMinutes) => set({ cacheRefreshMinutes })}
                  />
                  <TextField
                    label={t('manage.maxApiCalls')}
                    inputMode="numeric"
                    value={typed.maxApiCalls}
                    hint={t('manage.maxApiCallsHint')}
                    error={errors['maxApiCalls']}
                    onChange={(maxApiCalls) => set({ maxApiCalls })}
                  />
                  <div>
                    <Switch
                      label={t('manage.isProduction')}
                      isOn={typed.isProduction}
                      onChange={(isProduction) => set({ isProduction })}
                    />
                    <p className="mut" style={{ fontSize: 12 }}>
                      {t('manage.isProductionHint')}
                    </p>
                  </div>
                  <div>
                    <Switch
                      label={t('manage.isActive')}
                      isOn={typed.isActive}
                      onChange={(isActive) => set({ isActive })}
                    />
                  </div>
                </div>
              </section>
              <section className="card">
                <h2 className="sect">{kind.title}</h2>
                <div className="frm">
                  {kind.authTypes.length > 1 ? (
                    <SelectField
                      label={t('manage.authType')}
                      value={typed.authType}
                      options={kind.authTypes.map((one) => ({
                        value: one,
                        label: t(one === 'basic' ? 'manage.authBasic' : 'manage.authOAuth'),
                      }))}
                      onChange={(authType) => set({ authType: authType as Typed['authType'] })}
                    />
                  ) : null}
                  {fields.map((field) => (
                    <Fragment key={field.name}>
                      <ConfigInput
                        field={field}
                        hint={hasSecret(field.name) ? t('manage.secretKept') : field.hint}
                        error={errors[field.name]}
                        value={typed.config[field.name] ?? ''}
                        onChange={(value) => setConfig(field.name, value)}
                      />
                      {kind.draft?.field === field.name && !isReadOnly ? (
                        <DraftFrom
                          systemId={systemId}
                          draft={kind.draft}
                          onDraft={(value) => setConfig(field.name, value)}
                        />
                      ) : null}
                    </Fragment>
                  ))}
                </div>
                <ConnectionTest
                  systemId={systemId}
                  body={{ ...configBody(typed), ...(domain ? { internalId: domain.internalId } : {}) }}
                  labels={new Map(fields.map(({ name, label }) => [name, label]))}
                  onProduction={(isProduction) => (domain === null ? set({ isProduction }) : undefined)}
                  onTake={isReadOnly ? null : setConfig}
                />
              </section>
              {kind.takesFiles ? (
                <FilesCard systemId={systemId} domain={domain} isReadOnly={isReadOnly} />
              ) : null}
            </fieldset>
            {foot}
          </div>
        </div>
        <div className="dlg-f">
          <span className="sp" />
          <button
            type="button"
            className="btn lg"
            onClick={() => void navigate({ to: routes.manageSystems, params: { systemId } })}
          >
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

const Waiting = ({ error }: { error: unknown }) =>
  error ? <ErrorView error={error} /> : <main className="page" id="main" tabIndex={-1} aria-busy="true" />;

export const NewDomainScreen = () => {
  const { systemId } = useParams({ from: '/inside/manage/systems/$systemId/domains/new' });
  const { copyFrom } = useSearch({ from: '/inside/manage/systems/$systemId/domains/new' });
  const { system, kind, error, isLoading } = useManagedSystem(systemId);
  const copied = useDomain(systemId, copyFrom);
  if (!isLoading && !system && !error) return <ErrorView code="404" />;
  if (!system || !kind || (copyFrom !== undefined && !copied.data))
    return <Waiting error={error ?? copied.error} />;
  return (
    <Form
      key={copyFrom ?? 'new'}
      systemId={systemId}
      systemName={system.name}
      kind={kind}
      domain={null}
      copied={copied.data}
    />
  );
};

export const EditDomainScreen = () => {
  const { systemId, domainId } = useParams({
    from: '/inside/manage/systems/$systemId/domains/$domainId/edit',
  });
  const { system, kind, error } = useManagedSystem(systemId);
  const domain = useDomain(systemId, domainId);
  const { data: activity = null } = useActivity(systemId, domainId);
  if (!system || !kind || !domain.data) return <Waiting error={error ?? domain.error} />;
  return (
    <Form
      key={domainId}
      systemId={systemId}
      systemName={system.name}
      kind={kind}
      domain={domain.data}
      head={
        <DomainState
          systemId={systemId}
          domain={domain.data}
          activity={activity}
          hasCompanies={kind.hasCompanies}
        />
      }
      foot={
        activity ? (
          <>
            <DomainCalls domain={domain.data} calls={activity.calls} />
            <DomainHistory history={activity.history} />
          </>
        ) : null
      }
    />
  );
};
