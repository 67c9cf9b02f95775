/** `/connectors/{id}/actions/{actionId}/mappings-triggers` */
export const MappingEditorScreen = () => <main className="page" id="main" tabIndex={-1} />;
