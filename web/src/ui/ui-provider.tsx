import { MantineProvider, createTheme } from '@mantine/core';
import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Menu.css';
import type { ReactNode } from 'react';
import { useShownTheme } from '../platform/theme.ts';
import '../styles/base.css';
import './theme.css';

const theme = createTheme({
  fontFamily: 'var(--font)',
  fontSizes: { md: '14px' },
  lineHeights: { md: '20px' },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  components: {
    Menu: { defaultProps: { transitionProps: { duration: 80 }, loop: true } },
    Popover: { defaultProps: { transitionProps: { duration: 80 } } },
    ModalRoot: { defaultProps: { transitionProps: { duration: 100 } } },
  },
});

export const UiProvider = ({ children }: { children: ReactNode }) => (
  <MantineProvider theme={theme} forceColorScheme={useShownTheme()}>
    {children}
  </MantineProvider>
);
