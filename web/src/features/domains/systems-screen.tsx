import type { ManagedSystem } from '@sluice/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { routes } from '../../platform/routes.ts';
import { currentUser } from '../../platform/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { useForget, useKinds, useSystemList } from './api.ts';

const acronymFrom = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => word.charAt(0))
    .join('')
    .toUpperCase()
    .slice(0, 20);

const SystemDialog = ({ system, onClose }: { system: ManagedSystem | null; onClose: () => void }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const forget = useForget();
  const { data } = useKinds();
  const [name, setName] = useState(system?.name ?? '');
  const [acronym, setAcronym] = useState(system?.acronym ?? '');
  const [kind, setKind] = useState(system?.kind ?? '');
  const [fault, setFault] = useState<string | null>(null);
  const kinds = data?.resources ?? [];
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (name.trim() === '') {
      setFault(t('manage.required'));
      return;
    }
    const body = { name: name.trim(), acronym: (acronym.trim() || acronymFrom(name)).slice(0, 20) };
    try {
      const created = system
        ? null
        : await call('createSystem', { body: { ...body, kind: kind || (kinds[0]?.kind ?? '') } });
      if (system) await call('updateSystem', { params: { systemId: system.internalId }, body });
      await forget();
      onClose();
      if (created)
        await navigate({ to: '/manage/systems/$systemId/domains/new', params: { systemId: created.url } });
    } catch (error) {
      setFault(
        error instanceof ApiError && error.fieldErrors[0] ? error.fieldErrors[0].message : errorText(error),
      );
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={t(system ? 'manage.editSystemTitle' : 'manage.addSystemTitle')}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <div style={{ display: 'grid', gap: 14, padding: '0 20px 16px' }}>
          {system ? null : (
            <SelectField
              label={t('manage.kind')}
              value={kind || (kinds[0]?.kind ?? '')}
              options={kinds.map((one) => ({ value: one.kind, label: one.title }))}
              onChange={setKind}
            />
          )}
          <TextField label={t('common.name')} value={name} onChange={setName} isRequired data-autofocus />
          <TextField
            label={t('manage.acronym')}
            hint={t('manage.acronymHint')}
            value={acronym}
            placeholder={acronymFrom(name)}
            maxLength={20}
            onChange={setAcronym}
          />
          {fault ? (
            <p className="note-line bad" role="alert">
              <Icon name="danger" />
              {fault}
            </p>
          ) : null}
        </div>
        <div className="dlg-f">
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onClose}>
            {t('common.cancel')}
          </button>
          <button type="submit" className="btn primary lg">
            {t(system ? 'common.save' : 'common.add')}
          </button>
        </div>
      </form>
    </Dialog>
  );
};

/** `/manage/systems`: the ERPs, and the way to add one. */
export const SystemsScreen = () => {
  const { t } = useTranslation();
  const { data, error } = useSystemList();
  const kinds = useKinds();
  const forget = useForget();
  const [editing, setEditing] = useState<ManagedSystem | 'new' | null>(null);
  const [deleting, setDeleting] = useState<ManagedSystem | null>(null);
  usePageTitle(t('manage.systems'));
  if (error) return <ErrorView error={error} />;
  const canCreate = currentUser()?.rights['domains']?.create === true;
  const remove = async (system: ManagedSystem): Promise<void> => {
    try {
      await call('deleteSystem', { params: { systemId: system.internalId } });
      await forget();
    } catch (failure) {
      toast('error', errorText(failure));
    }
    setDeleting(null);
  };
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in">
        <div className="page-h">
          <h1>{t('manage.systems')}</h1>
          <span className="sub">{t('manage.systemsText')}</span>
          <span className="sp" />
          {canCreate ? (
            <button type="button" className="btn primary lg" onClick={() => setEditing('new')}>
              <Icon name="plus" />
              {t('manage.addSystem')}
            </button>
          ) : null}
        </div>
        <section className="card">
          {data?.resources.length === 0 ? (
            <EmptyState icon="database" title={t('manage.noSystems')} text={t('manage.noSystemsText')} />
          ) : (
            <table className="tbl">
              <thead>
                <tr>
                  <th scope="col">{t('common.name')}</th>
                  <th scope="col">{t('manage.acronym')}</th>
                  <th scope="col">{t('manage.kind')}</th>
                  <th scope="col">{t('manage.domains')}</th>
                  <th scope="col">
                    <span className="vh">{t('manage.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data?.resources.map((system) => (
                  <tr key={system.internalId}>
                    <td>
                      <Link className="m" to={routes.manageSystems} params={{ systemId: system.url }}>
                        {system.name}
                      </Link>
                    </td>
                    <td className="sec">{system.acronym}</td>
                    <td className="sec">
                      {kinds.data?.resources.find((kind) => kind.kind === system.kind)?.title ?? system.kind}
                    </td>
                    <td className="sec">{t('manage.domainCount', { count: system.domainCount })}</td>
                    <td className="acts">
                      {system.rights.update ? (
                        <button
                          type="button"
                          className="iconbtn"
                          aria-label={`${t('common.edit')}: ${system.name}`}
                          onClick={() => setEditing(system)}
                        >
                          <Icon name="edit" />
                        </button>
                      ) : null}
                      {system.rights.delete ? (
                        <button
                          type="button"
                          className="iconbtn"
                          aria-label={`${t('common.delete')}: ${system.name}`}
                          disabled={system.domainCount > 0}
                          onClick={() => setDeleting(system)}
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
        <SystemDialog system={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      ) : null}
      {deleting ? (
        <ConfirmDialog
          title={t('manage.deleteSystem')}
          text={t('manage.deleteSystemText', { name: deleting.name })}
          yes={t('common.delete')}
          isDanger
          onNo={() => setDeleting(null)}
          onYes={() => void remove(deleting)}
        />
      ) : null}
    </main>
  );
};
