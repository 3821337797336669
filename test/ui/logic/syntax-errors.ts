/** Syntax errors in the code editor: those of the code, and none where the parser has only paused. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { javascript } from '@codemirror/lang-javascript';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { syntaxErrors } from '../../../ui/src/code/syntax-errors.js';

export const lab = Lab.script();
const { describe, it } = lab;

const LINE = 'exports.a = (object) => ({ ...object, words: object.text.match(/[a-z]+/g) || [] });\n';

const PAUSED_AT = 10_000;
const ANY_TIME = 60_000;

describe('the syntax errors of code', () => {

    const stateOf = (doc: string): EditorState => EditorState.create({ doc, extensions: [javascript()] });

    it('are found at their line', () => {

        const messagesOf = (doc: string): string[] => {

            const state = stateOf(doc);
            ensureSyntaxTree(state, doc.length, ANY_TIME);
            return syntaxErrors(state, 'javascript').map(({ message }) => message);
        };

        expect(messagesOf(LINE)).to.equal([]);
        expect(messagesOf(`${LINE}const a = ;\n${LINE}`)).to.equal(['Syntax error in line 2']);
    });

    it('are not those of a part, while a long code is not parsed to its end', () => {

        // Wherever the parser pauses, the list is open.
        const state = stateOf(`exports.all = [\n${'[/[a-z]+/g, { a: 1 }],\n'.repeat(400_000)}];\n`);
        const cursor = ensureSyntaxTree(state, PAUSED_AT, ANY_TIME)?.cursor();
        let isOpen = false;
        do {
            isOpen ||= cursor?.type.isError === true;
        } while (cursor?.next());

        expect(isOpen).to.be.true();
        expect(syntaxErrors(state, 'javascript')).to.equal([]);
    });
});
