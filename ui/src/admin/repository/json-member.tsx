/** JSON that is edited as text: only what can be read becomes part of the draft. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CodeEditor } from '../../code/code-editor.js';
import { isJsonMap, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';
import { t } from './texts.js';

export function JsonMember({ label, value, height = 'fit', onChange }: {
    readonly label: string; readonly value: JsonMap; readonly height?: 'fit' | 'tall'; readonly onChange: (value: JsonMap) => void;
}): JSX.Element {

    const written = writeJson(value, 2);
    const [typed, setTyped] = useState<{ readonly text: string; readonly written: string } | null>(null);
    const [isInvalid, setInvalid] = useState(false);
    const change = (text: string): void => {

        try {
            const next = parseJson(text);
            if (!isJsonMap(next)) {
                throw new TypeError('no object');
            }

            setInvalid(false);
            setTyped({ text, written: writeJson(next, 2) });
            onChange(next);
        }
        catch {
            setInvalid(true);
            setTyped({ text, written });
        }
    };

    return (
        <>
            <CodeEditor language="json" label={label} height={height} value={typed?.written === written ? typed.text : written} onChange={change} />
            {isInvalid && <p class="danger-text" role="status">{t('invalidJson')}</p>}
        </>
    );
}
