/**
 * Copies by the browser's command, which fires a `copy` event for us to fill: for pages that came neither over https
 * nor from this machine, which have no `navigator.clipboard`. Only while the user's press is fresh; answers whether the
 * browser let it happen.
 */
export const copyByCommand = (fill: (data: DataTransfer) => void): boolean => {
  const take = (event: ClipboardEvent): void => {
    event.preventDefault();
    // What has the focus would copy what it has selected.
    event.stopImmediatePropagation();
    if (event.clipboardData) fill(event.clipboardData);
  };
  addEventListener('copy', take, { capture: true });
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- such pages have nothing else
    return document.execCommand('copy');
  } finally {
    removeEventListener('copy', take, { capture: true });
  }
};

/** Puts a text on the clipboard; answers whether the browser let it happen. */
export const copyText = async (text: string): Promise<boolean> => {
  if (!isSecureContext) return copyByCommand((data) => data.setData('text/plain', text));
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};
