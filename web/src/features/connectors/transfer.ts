import type { Connector, ConnectorFile } from '@sluice/contract';
import { call } from '../../platform/call.ts';

const fileName = (name: string): string =>
  `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '') || 'connector'}.json`;

/** Asks for the connector as a file and hands it to the browser's downloads. */
export const downloadConnector = async ({ internalId, name }: Connector): Promise<void> => {
  const file = await call('exportConnector', { params: { connectorId: internalId } });
  const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName(name);
  link.click();
  URL.revokeObjectURL(url);
};

/** A chosen file, as far as the browser can tell; the server checks all of it. Null = no connector file. */
export const readConnectorFile = async (file: File): Promise<ConnectorFile | null> => {
  try {
    const read: unknown = JSON.parse(await file.text());
    const isOne =
      typeof read === 'object' &&
      read !== null &&
      'format' in read &&
      read.format === 'sluice-connector' &&
      'actions' in read &&
      Array.isArray(read.actions);
    return isOne ? (read as ConnectorFile) : null;
  } catch {
    return null;
  }
};
