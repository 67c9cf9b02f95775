/**
 * Method and path of every call. No schema here: the browser imports this table and only the types of the rest.
 * `{collection}` stands for `{system url}/{level pairs}/{resource}[/{attributeId}]` (decisions Q-SYS-01).
 */
export const paths = {
  healthz: ['GET', '/healthz'],
  readyz: ['GET', '/readyz'],

  login: ['POST', '/api/v1/auth/login'],
  logout: ['POST', '/api/v1/auth/logout'],
  getProviders: ['GET', '/api/v1/auth/providers'],
  getSession: ['GET', '/api/v1/auth/session'],
  providerLogin: ['GET', '/api/v1/auth/{provider}/login'],
  providerCallback: ['GET', '/api/v1/auth/{provider}/callback'],
  forgotPassword: ['POST', '/api/v1/auth/forgot-password'],
  checkLink: ['POST', '/api/v1/auth/check-link'],
  resetPassword: ['POST', '/api/v1/auth/reset-password'],
  getSecurity: ['GET', '/api/v1/user/security'],
  changePassword: ['POST', '/api/v1/user/password'],
  beginSecondFactor: ['POST', '/api/v1/user/second-factor'],
  confirmSecondFactor: ['POST', '/api/v1/user/second-factor/confirm'],
  endSecondFactor: ['POST', '/api/v1/user/second-factor/end'],
  renewRecoveryCodes: ['POST', '/api/v1/user/second-factor/recovery-codes'],
  reportClientError: ['POST', '/api/v1/user/report-client-error'],

  getMenu: ['GET', '/api/v1/user/menu'],
  getDashboard: ['GET', '/api/v1/user/dashboard'],
  getExternalSystems: ['GET', '/api/v1/user/external-systems'],
  getUserPreferences: ['GET', '/api/v1/user/userprefs'],
  patchUserPreferences: ['PATCH', '/api/v1/user/userprefs'],

  getUsers: ['GET', '/api/v1/manage/users'],
  getUser: ['GET', '/api/v1/manage/users/{userId}'],
  createUser: ['POST', '/api/v1/manage/users'],
  updateUser: ['PATCH', '/api/v1/manage/users/{userId}'],
  deleteUser: ['DELETE', '/api/v1/manage/users/{userId}'],
  inviteUser: ['POST', '/api/v1/manage/users/{userId}/invite'],
  resetUserPassword: ['POST', '/api/v1/manage/users/{userId}/reset-password'],
  removeSecondFactor: ['POST', '/api/v1/manage/users/{userId}/remove-second-factor'],
  getRoles: ['GET', '/api/v1/manage/roles'],
  getRole: ['GET', '/api/v1/manage/roles/{roleId}'],
  createRole: ['POST', '/api/v1/manage/roles'],
  updateRole: ['PATCH', '/api/v1/manage/roles/{roleId}'],
  deleteRole: ['DELETE', '/api/v1/manage/roles/{roleId}'],
  getEndpoints: ['GET', '/api/v1/manage/endpoints'],
  getAudit: ['GET', '/api/v1/manage/audit'],
  exportAudit: ['GET', '/api/v1/manage/audit/export'],

  getAdapterKinds: ['GET', '/api/v1/manage/adapter-kinds'],
  getSystems: ['GET', '/api/v1/manage/systems'],
  createSystem: ['POST', '/api/v1/manage/systems'],
  updateSystem: ['PATCH', '/api/v1/manage/systems/{systemId}'],
  deleteSystem: ['DELETE', '/api/v1/manage/systems/{systemId}'],

  getDomains: ['GET', '/api/v1/manage/systems/{systemId}/domains'],
  getDomain: ['GET', '/api/v1/manage/systems/{systemId}/domains/{domainId}'],
  createDomain: ['POST', '/api/v1/manage/systems/{systemId}/domains'],
  updateDomain: ['PATCH', '/api/v1/manage/systems/{systemId}/domains/{domainId}'],
  deleteDomain: ['DELETE', '/api/v1/manage/systems/{systemId}/domains/{domainId}'],
  testConnection: ['POST', '/api/v1/manage/systems/{systemId}/domains/test-connection'],
  draftSetting: ['POST', '/api/v1/manage/systems/{systemId}/draft-setting'],
  refreshDomain: ['POST', '/api/v1/manage/systems/{systemId}/domains/{domainId}/refresh'],
  getCompanies: ['GET', '/api/v1/manage/systems/{systemId}/domains/{domainId}/companies'],
  patchCompanies: ['PATCH', '/api/v1/manage/systems/{systemId}/domains/{domainId}/companies'],

  getFiles: ['GET', '/api/v1/manage/systems/{systemId}/domains/{domainId}/files'],
  uploadFile: ['POST', '/api/v1/manage/systems/{systemId}/domains/{domainId}/files/{name}'],
  deleteFile: ['DELETE', '/api/v1/manage/systems/{systemId}/domains/{domainId}/files/{name}'],

  // Of the levels themselves: here {collection} ends before the resource.
  getAttributes: ['GET', '/api/v1/data/{collection}/attributes'],
  getRecords: ['GET', '/api/v1/data/{collection}'],
  exportRecords: ['GET', '/api/v1/data/{collection}/export'],
  checkExport: ['GET', '/api/v1/data/{collection}/export/check'],
  bulk: ['POST', '/api/v1/data/{collection}/bulk'],
  find: ['POST', '/api/v1/data/{collection}/find'],
  distinct: ['POST', '/api/v1/data/{collection}/distinct'],
  lookup: ['POST', '/api/v1/data/{collection}/lookup'],
  getDuplicates: ['GET', '/api/v1/data/{collection}/duplicates'],
  listPushes: ['GET', '/api/v1/data/{collection}/pushes'],
  undoPush: ['POST', '/api/v1/data/{collection}/push/{pushId}/undo'],
  getHistory: ['GET', '/api/v1/data/{collection}/{id}/history'],
  listViews: ['GET', '/api/v1/data/{collection}/views'],
  createView: ['POST', '/api/v1/data/{collection}/views'],
  updateView: ['PATCH', '/api/v1/data/{collection}/views/{viewId}'],
  deleteView: ['DELETE', '/api/v1/data/{collection}/views/{viewId}'],
  getDocumentation: ['GET', '/api/v1/data/{collection}/documentation'],
  updateDocumentation: ['PATCH', '/api/v1/data/{collection}/documentation'],
  patchRecords: ['PATCH', '/api/v1/data/{collection}'],
  insertRecords: ['POST', '/api/v1/data/{collection}'],
  deleteRecords: ['DELETE', '/api/v1/data/{collection}'],
  getRecord: ['GET', '/api/v1/data/{collection}/{id}'],
  patchRecord: ['PATCH', '/api/v1/data/{collection}/{id}'],
  deleteRecord: ['DELETE', '/api/v1/data/{collection}/{id}'],

  getPending: ['GET', '/api/v1/data/{collection}/pending'],
  resolveConflicts: ['POST', '/api/v1/data/{collection}/pending/resolve'],
  getEdits: ['GET', '/api/v1/data/{collection}/edits'],
  undoEdit: ['POST', '/api/v1/data/{collection}/edits/{editId}/undo'],
  redoEdit: ['POST', '/api/v1/data/{collection}/edits/{editId}/redo'],

  push: ['POST', '/api/v1/data/{collection}/push'],
  discard: ['DELETE', '/api/v1/data/{collection}/push'],
  getPush: ['GET', '/api/v1/data/{collection}/push/{pushId}'],
  cancelPush: ['DELETE', '/api/v1/data/{collection}/push/{pushId}'],

  getConnectors: ['GET', '/api/v1/connectors'],
  createConnector: ['POST', '/api/v1/connectors'],
  importConnector: ['POST', '/api/v1/connectors/import'],
  getNextTimes: ['GET', '/api/v1/connectors/next-times'],
  getConnector: ['GET', '/api/v1/connectors/{connectorId}'],
  updateConnector: ['PATCH', '/api/v1/connectors/{connectorId}'],
  deleteConnector: ['DELETE', '/api/v1/connectors/{connectorId}'],
  copyConnector: ['POST', '/api/v1/connectors/{connectorId}/copy'],
  exportConnector: ['GET', '/api/v1/connectors/{connectorId}/export'],
  getActionOptions: ['GET', '/api/v1/connectors/{connectorId}/action-options'],
  getFieldPaths: ['GET', '/api/v1/connectors/{connectorId}/field-paths'],
  getActions: ['GET', '/api/v1/connectors/{connectorId}/actions'],
  createAction: ['POST', '/api/v1/connectors/{connectorId}/actions'],
  copyActions: ['POST', '/api/v1/connectors/{connectorId}/actions/copy-existing'],
  getAction: ['GET', '/api/v1/connectors/{connectorId}/actions/{actionId}'],
  updateAction: ['PATCH', '/api/v1/connectors/{connectorId}/actions/{actionId}'],
  deleteAction: ['DELETE', '/api/v1/connectors/{connectorId}/actions/{actionId}'],
  getVersions: ['GET', '/api/v1/connectors/{connectorId}/actions/{actionId}/versions'],
  getSamples: ['GET', '/api/v1/connectors/{connectorId}/actions/{actionId}/samples'],
  previewLookup: ['POST', '/api/v1/connectors/{connectorId}/actions/{actionId}/lookup'],
  testRun: ['POST', '/api/v1/connectors/{connectorId}/actions/{actionId}/test-run'],
  manualRun: ['POST', '/api/v1/connectors/{connectorId}/actions/{actionId}/manual-run'],
  expectRun: ['POST', '/api/v1/connectors/{connectorId}/actions/{actionId}/manual-run/expected'],
  getLinks: ['GET', '/api/v1/connectors/{connectorId}/actions/{actionId}/links'],
  getRuns: ['GET', '/api/v1/connectors/{connectorId}/actions/{actionId}/runs'],
  getRun: ['GET', '/api/v1/connectors/{connectorId}/actions/{actionId}/runs/{runId}'],
  cancelRun: ['DELETE', '/api/v1/connectors/{connectorId}/actions/{actionId}/runs/{runId}'],
  retryRun: ['POST', '/api/v1/connectors/{connectorId}/actions/{actionId}/runs/{runId}/retry'],
  retrySourceUpdates: [
    'POST',
    '/api/v1/connectors/{connectorId}/actions/{actionId}/runs/{runId}/source-updates/retry',
  ],
  discardRun: ['POST', '/api/v1/connectors/{connectorId}/actions/{actionId}/runs/{runId}/discard'],

  getCacheState: ['GET', '/api/v1/data/{collection}/cache'],
  refreshCache: ['POST', '/api/v1/data/{collection}/cache'],
} as const satisfies Record<string, readonly ['GET' | 'POST' | 'PATCH' | 'DELETE', string]>;

export type PathName = keyof typeof paths;

/** Where the live messages come from. */
export const websocketPath = '/api/v1/user/websocket';

/**
 * In place of a field: the records with a pending change of these runs of connectors, by `in` and their ids. What is
 * pushed or discarded is no longer among them.
 */
export const runFilterField = '$run';

/** Last path segments below a collection that can never be a record's id or an attribute's id. */
export const reservedSegments = [
  'new',
  'duplicates',
  'attributes',
  'pending',
  'edits',
  'push',
  'pushes',
  'cache',
  'export',
  'bulk',
  'find',
  'distinct',
  'lookup',
  'views',
  'documentation',
] as const;
