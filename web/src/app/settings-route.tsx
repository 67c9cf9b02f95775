import { SettingsScreen } from '../features/settings/settings-screen.tsx';
import { switchLanguage } from './connect-session.ts';

export const SettingsRoute = () => <SettingsScreen onLanguage={switchLanguage} />;
