import { useEffect, useRef, useState } from 'react';
import { againMs } from '../../platform/call.ts';
import { computePreview, type Preview, type PreviewInput } from './preview.ts';

/** Pause after the last key before it is computed: less than what an eye takes to move over. */
const PAUSE_MS = 60;

/** The preview of what is being edited: the last one stays until the next is there. */
export const usePreview = (
  input: PreviewInput | null,
): { preview: Preview | null; problem: string | null; isStale: boolean } => {
  const [state, setState] = useState<{ preview: Preview | null; problem: string | null; of: unknown }>({
    preview: null,
    problem: null,
    of: null,
  });
  const isFirst = useRef(true);
  useEffect(() => {
    if (!input) return undefined;
    const controller = new AbortController();
    const compute = async (): Promise<void> => {
      try {
        const preview = await computePreview(input, controller.signal);
        if (preview) setState({ preview, problem: null, of: input });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (controller.signal.aborted) return;
        setState((before) => ({ ...before, problem, of: input }));
        // The table of a lookup, which is being read.
        const pause = againMs(error);
        if (pause !== false) timer = setTimeout(() => void compute(), pause);
      }
    };
    let timer = setTimeout(() => void compute(), isFirst.current ? 0 : PAUSE_MS);
    isFirst.current = false;
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [input]);
  return { preview: state.preview, problem: state.problem, isStale: state.of !== input };
};
