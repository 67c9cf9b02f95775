import path from 'node:path';
import type { AdapterDefinition, ConfigField } from '@sluice/adapter-kit';
import { folderSource, uploadSource } from './folder.ts';
import { fileFields, sftpFields } from './form.ts';
import { FileSession } from './session.ts';
import { addressOf, readSettings } from './settings.ts';
import { sftpSource } from './sftp.ts';

export interface FileAdapterOptions {
  /** Folders of this machine below which files may be read. */
  roots: readonly string[];
  /** Folder that holds the uploaded files, one folder per domain. */
  uploads: string;
}

const levels: AdapterDefinition['systemLevels'] = [
  {
    uriId: 'folders',
    nameSingular: { EN: 'Folder', NL: 'Map' },
    namePlural: { EN: 'Folders', NL: 'Mappen' },
  },
];

/** Folder of a domain's uploaded files. */
export const uploadFolderOf = (uploads: string, domainId: string): string =>
  path.join(uploads, path.basename(domainId));

/** Files as external systems: in a folder of the server, uploaded, or on an SFTP server. */
export function fileAdapters({ roots, uploads }: FileAdapterOptions): AdapterDefinition[] {
  const folderField: ConfigField = {
    name: 'settings.folder',
    label: { EN: 'Folder', NL: 'Map' },
    hint: {
      EN:
        roots.length > 0
          ? `Below ${roots.join(' or ')}. It is watched: at each refresh new and changed files are read. Files stay where and as they are; one that is gone takes its records with it.`
          : 'No folder may be read yet: whoever runs the server names them in SLUICE_FILE_ROOTS.',
      NL:
        roots.length > 0
          ? `Onder ${roots.join(' of ')}. Er wordt op gelet: bij elke verversing worden nieuwe en gewijzigde bestanden gelezen. Bestanden blijven waar en zoals ze zijn; is er een weg, dan zijn zijn records dat ook.`
          : 'Er mag nog geen map worden gelezen: wie de server beheert noemt ze in SLUICE_FILE_ROOTS.',
    },
    isMandatory: true,
  };
  return [
    {
      kind: 'folder',
      title: { EN: 'Files in a watched folder', NL: 'Bestanden in een bewaakte map' },
      systemLevels: levels,
      authTypes: ['basic'],
      configFields: [folderField, ...fileFields],
      checkConfig: (config, locale) => readSettings(config, locale, 'folder').problems,
      open: (config, context) => {
        const { settings } = readSettings(config, 'EN', 'folder');
        return new FileSession(folderSource(settings.folder, roots), settings, context);
      },
    },
    {
      kind: 'upload',
      takesFiles: true,
      title: { EN: 'Uploaded files', NL: 'Geüploade bestanden' },
      systemLevels: levels,
      authTypes: ['basic'],
      configFields: fileFields,
      checkConfig: (config, locale) => readSettings(config, locale, 'upload').problems,
      open: (config, context) => {
        const { settings } = readSettings(config, 'EN', 'upload');
        const source = uploadSource(uploadFolderOf(uploads, context.domainId ?? 'new'));
        return new FileSession(source, settings, context);
      },
    },
    {
      kind: 'sftp',
      title: { EN: 'Files over SFTP', NL: 'Bestanden via SFTP' },
      systemLevels: levels,
      authTypes: ['basic'],
      urlSchemes: ['sftp:'],
      configFields: [...sftpFields, ...fileFields],
      checkConfig: (config, locale) => readSettings(config, locale, 'sftp').problems,
      open: (config, context) => {
        const { settings } = readSettings(config, 'EN', 'sftp');
        const { username, password } = config;
        const source = sftpSource(
          { ...addressOf(config.url), username, password, ...settings, ...pathOf(config.url) },
          context,
        );
        return new FileSession(source, settings, context);
      },
    },
  ];
}

/** The folder of an SFTP address, not the setting of a local one. */
const pathOf = (url: string): { folder: string } => ({ folder: addressOf(url).folder });
