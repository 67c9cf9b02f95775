import { MappingEditorScreen } from '../features/mapping-editor/mapping-editor-screen.tsx';

/** The mapping editor with what it takes from other features. */
export const MappingEditorRoute = () => <MappingEditorScreen />;
