/** Syntax errors of a text in the editor. */

import { ensureSyntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { JsonSyntaxError, parseJson } from '../json/parse-json.js';
import { jsonErrorText } from '../json/texts.js';
import { t } from './texts.js';

/** Time in milliseconds for what is not parsed yet of a code. */
const PARSE_MS = 50;

/** Returns the first syntax error, in a list. JSON that is empty is none: what is missing then is said elsewhere. */
export function syntaxErrors(state: EditorState, language: 'json' | 'javascript'): Diagnostic[] {

    return language === 'json' ? jsonErrors(state.doc.toString()) : codeErrors(state);
}

function jsonErrors(text: string): Diagnostic[] {

    if (text.trim() === '') {
        return [];
    }

    try {
        parseJson(text);
        return [];
    }
    catch (error) {
        if (!(error instanceof JsonSyntaxError)) {
            throw error;
        }

        const { offset } = error;
        return [{ from: offset, to: Math.min(text.length, offset + 1), severity: 'error', message: jsonErrorText(error) }];
    }
}

/** None as long as the code is not parsed to its end, on a slow machine or because it is long: where the parser pauses, everything is open. */
function codeErrors(state: EditorState): Diagnostic[] {

    const cursor = ensureSyntaxTree(state, state.doc.length, PARSE_MS)?.cursor();
    if (!cursor) {
        return [];
    }

    do {
        if (cursor.type.isError) {
            const { from, to } = cursor;
            const { number } = state.doc.lineAt(from);
            return [{ from, to: Math.min(state.doc.length, Math.max(to, from + 1)), severity: 'error', message: t('syntax', { line: number }) }];
        }
    } while (cursor.next());

    return [];
}
