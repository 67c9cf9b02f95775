import type { MappingProblem } from '@sluice/mapping/engine';
import { Icon } from '../../ui/icons.tsx';
import { fieldNameIn, useWorkspace } from './workspace.ts';
import { problemWords } from './words.ts';

/** What is wrong here, each in a line of its own; the same words once. */
export const ProblemLines = ({
  problems,
  id,
  paramName,
}: {
  problems: readonly MappingProblem[];
  id?: string | undefined;
  paramName?: ((id: string) => string) | undefined;
}) => {
  const { language, written } = useWorkspace();
  const lines = new Map<string, 'error' | 'warning'>();
  for (const problem of problems)
    lines.set(
      problemWords(problem, language, (path) => fieldNameIn(written, path), paramName),
      problem.severity,
    );
  if (lines.size === 0) return null;
  return (
    <div id={id} className="probs">
      {[...lines].slice(0, 6).map(([text, severity]) => (
        <p key={text} className={severity === 'error' ? 'err-t' : 'warn-t2'}>
          <Icon name={severity === 'error' ? 'danger' : 'warning'} size="xs" />
          {text}
        </p>
      ))}
    </div>
  );
};
