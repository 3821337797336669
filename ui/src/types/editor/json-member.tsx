/** JSON that is edited as text. While it has a syntax error, the draft keeps the text, and cannot be stored. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CodeEditor } from '../../code/code-editor.js';
import { isJsonMap, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';
import type { Draft } from './draft.js';
import { t } from './texts.js';

interface MemberProps {
    readonly draft: Draft;
    /** JSON pointer of the value in what is edited. */
    readonly place: string;
    readonly label: string;
    readonly value: JsonMap;
    readonly height?: 'fit' | 'tall';
    readonly isReadOnly?: boolean;
    readonly onChange: (value: JsonMap) => void;
}

/** The editor of an object in a draft. */
export function JsonMember({ draft, place, label, value, height = 'fit', isReadOnly = false, onChange }: MemberProps): JSX.Element {

    const written = writeJson(value, 2);
    const [typed, setTyped] = useState<{ readonly text: string; readonly written: string } | null>(null);
    const faulty = draft.faultyText(place);
    const change = (text: string): void => {

        try {
            const next = parseJson(text);
            if (!isJsonMap(next)) {
                throw new TypeError('no object');
            }

            setTyped({ text, written: writeJson(next, 2) });
            draft.setFaultyText(place, null);
            onChange(next);
        }
        catch {
            draft.setFaultyText(place, text);
        }
    };

    return (
        <>
            <CodeEditor language="json" label={label} height={height} readOnly={isReadOnly} value={faulty ?? (typed?.written === written ? typed.text : written)} onChange={change} />
            {faulty !== null && <p class="danger-text" role="status">{t('notJson')}</p>}
        </>
    );
}
