/** Syntax errors of a text in the editor. */

import { syntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { JsonSyntaxError, parseJson } from '../json/parse-json.js';
import { jsonErrorText } from '../json/texts.js';
import { t } from './texts.js';

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

function codeErrors(state: EditorState): Diagnostic[] {

    const cursor = syntaxTree(state).cursor();
    do {
        if (cursor.type.isError) {
            const { from, to } = cursor;
            const { number } = state.doc.lineAt(from);
            return [{ from, to: Math.min(state.doc.length, Math.max(to, from + 1)), severity: 'error', message: t('syntax', { line: number }) }];
        }
    } while (cursor.next());

    return [];
}
