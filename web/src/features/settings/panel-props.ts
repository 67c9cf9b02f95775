import type { PreferenceOptions } from '@sluice/contract';

export interface PanelProps {
  options: PreferenceOptions;
  /** Switches the texts, and what the server words itself. */
  onLanguage: (language: 'EN' | 'NL') => Promise<void>;
}
