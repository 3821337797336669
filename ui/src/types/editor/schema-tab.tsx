/** The schema as JSON, with the errors of the service at their places. */

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { CodeEditor, type CodeDiagnostic } from '../../code/code-editor.js';
import { serverText } from '../../server-texts/index.js';
import { t } from './texts.js';
import type { TabProps } from './type-screen.js';

const PREFIX = '/schema';

export function SchemaTab({ draft, diagnosis: { errors }, isReadOnly }: TabProps): JSX.Element {

    const { schemaText } = draft;
    const diagnostics = useMemo((): readonly CodeDiagnostic[] => {

        const own = errors.filter(({ pointer }) => pointer === PREFIX || pointer.startsWith(`${PREFIX}/`));
        return own.map(({ pointer, message }) => ({ pointer: pointer.slice(PREFIX.length), message }));
    }, [errors]);
    return (
        <>
            {diagnostics.length > 0 && (
                <div role="status"><ul class="errors">
                    {errors.map(({ pointer, message }) => <li key={pointer + message} dir="auto"><code>{pointer.slice(PREFIX.length) || '/'}</code> {serverText(message)}</li>)}
                </ul></div>
            )}
            <CodeEditor language="json" label={t('schemaLabel')} height="tall" value={schemaText} readOnly={isReadOnly} diagnostics={diagnostics}
                onChange={draft.setSchemaText} />
        </>
    );
}
