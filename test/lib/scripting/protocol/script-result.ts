import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DEFAULT_VALUE_LIMITS } from '../../../../lib/scripting/protocol/value-limits.js';
import { ScriptError } from '../../../../lib/scripting/protocol/script-error.js';
import { readLine } from '../../../../lib/scripting/protocol/script-result.js';
import type { ResultKind } from '../../../../lib/scripting/protocol/messages.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a line of the sandbox', () => {

    const lines: readonly (readonly [line: string, takes: ResultKind, isResult: boolean])[] = [
        ['{"object":{"a":1}}', 'object', true],
        ['{"object":5}', 'object', true],
        ['{"object":null}', 'object', true],
        ['{}', 'object', false],
        ['{"returned":{"a":1}}', 'object', false],
        ['[]', 'object', false],
        ['{"returned":1,"object":{}}', 'both', true],
        ['{"returned":1}', 'both', false],
        ['{}', 'returned', true],
        ['{}', 'nothing', true]
    ];
    for (const [line, takes, isResult] of lines) {
        it(`is ${isResult ? 'a result' : 'an error'}, where ${takes} is wanted: ${line}`, async () => {

            const read = await readLine(line, { label: 'type Document', takes, output: [], text: null, limits: DEFAULT_VALUE_LIMITS });

            expect(read instanceof ScriptError).to.equal(!isResult);
            expect(read instanceof ScriptError ? read.failure.kind : 'result').to.equal(isResult ? 'result' : 'error');
        });
    }
});
