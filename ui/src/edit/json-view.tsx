/** The content as JSON, with the errors that the service has found in it. */

import type { JSX } from 'preact';
import { CodeEditor } from '../code/code-editor.js';
import type { FormError } from '../form/schema-form.js';
import { serverText } from '../server-texts/index.js';
import { t } from './texts.js';

/** The view. */
export function JsonView({ text, errors, onChange }: {
    readonly text: string; readonly errors: readonly FormError[]; readonly onChange: (text: string) => void
}): JSX.Element {

    return (
        <>
            <CodeEditor language="json" label={t('content')} height="tall" value={text} diagnostics={errors} onChange={onChange} />
            <div role="status">
                {errors.map(({ pointer, message }) => <p key={pointer + message} class="form-error" dir="auto"><code>{pointer}</code> {serverText(message)}</p>)}
            </div>
        </>
    );
}
