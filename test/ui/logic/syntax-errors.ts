/** Syntax errors in the code editor: those of the code, and none where the parser has only paused. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { javascript } from '@codemirror/lang-javascript';
import { syntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { syntaxErrors } from '../../../ui/src/code/syntax-errors.js';

export const lab = Lab.script();
const { describe, it } = lab;

const LINE = 'exports.a = (object) => ({ ...object, words: object.text.match(/[a-z]+/g) || [] });\n';

describe('the syntax errors of code', () => {

    const stateOf = (doc: string): EditorState => EditorState.create({ doc, extensions: [javascript()] });

    it('are found at their line', () => {

        expect(syntaxErrors(stateOf(LINE), 'javascript')).to.equal([]);
        expect(syntaxErrors(stateOf(`${LINE}const a = ;\n${LINE}`), 'javascript').map(({ message }) => message)).to.equal(['Syntax error in line 2']);
    });

    it('are not those of a part, while a long code is not parsed to its end', () => {

        const state = stateOf(LINE.repeat(100_000));
        const cursor = syntaxTree(state).cursor();
        let isOpen = false;
        do {
            isOpen ||= cursor.type.isError;
        } while (cursor.next());

        expect(isOpen).to.be.true();
        expect(syntaxErrors(state, 'javascript')).to.equal([]);
    });
});
