import { expect, it } from 'vitest';
import { capsOf } from './key-caps.ts';

it('[KEY-16] modifiers stand in the order of the platform: Alt, Ctrl, Shift, Cmd on a Mac, else Ctrl, Alt, Shift', () => {
  expect(capsOf(['M', 'Shift', 'Alt', 'Ctrl'], true)).toEqual(['Alt', 'Ctrl', 'Shift', 'M']);
  expect(capsOf(['M', 'Shift', 'Alt', 'Ctrl'], false)).toEqual(['Ctrl', 'Alt', 'Shift', 'M']);
  expect(capsOf(['Mod', 'Shift', 'Z'], true)).toEqual(['Shift', 'Cmd', 'Z']);
  expect(capsOf(['Mod', 'Y'], false)).toEqual(['Ctrl', 'Y']);
});
