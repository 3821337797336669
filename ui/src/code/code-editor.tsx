/** An editor of JSON or JavaScript, loaded when it is first shown. */

import { lazy } from '../components/lazy.js';
import type { LazyComponent } from '../components/lazy.js';
import type { CodeEditorProps } from './types.js';

export type { CodeCompletion, CodeDiagnostic, CodeEditorProps } from './types.js';

/**
 * The editor. It reports syntax errors itself; `diagnostics` adds others. Tab leaves it, as everywhere on the page.
 *
 * @example
 * <CodeEditor language="json" label="Schema" value={text} onChange={setText} diagnostics={[{ line: 3, column: 5, message: 'is required' }]} />
 */
export const CodeEditor: LazyComponent<CodeEditorProps> = lazy(async () => (await import('./mirror.js')).Mirror);
