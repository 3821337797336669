/** The page about the log and the code name the same events. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Ts from 'typescript';
import { ROOT } from '../../support/doc-pages.js';
import { readTree } from '../../support/structure.js';

export const lab = Lab.script();
const { describe, it } = lab;

const EVENT = /^[a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*$/;

/** Functions that log an event of a name. */
const LOGGING = /^this\.#(?:failed|report)$/;

/** The string literals that a source file gives as an `event`, or beside an error to a function that logs. */
function eventsOf(path: string, text: string): string[] {

    const found: string[] = [];
    const visit = (node: Ts.Node): void => {

        const isEvent = Ts.isPropertyAssignment(node) && node.name.getText() === 'event';
        if (isEvent || Ts.isCallExpression(node) && LOGGING.test(node.expression.getText())) {
            Ts.forEachChild(node, function literals(child): void {

                if (Ts.isStringLiteral(child) && EVENT.test(child.text)) {
                    found.push(child.text);
                }

                Ts.forEachChild(child, literals);
            });
        }

        Ts.forEachChild(node, visit);
    };

    visit(Ts.createSourceFile(path, text, Ts.ScriptTarget.Latest, true));
    return found;
}

describe('the log', () => {

    it('has exactly the events that docs/log-events.md explains', () => {

        const logged = new Set([...readTree()].flatMap(([path, text]) => eventsOf(path, text)));
        const rows = readFileSync(join(ROOT, 'docs/log-events.md'), 'utf8').split('\n').filter((line) => line.startsWith('| `'));
        const explained = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));

        expect(logged.size).to.be.above(50);
        expect([...explained].sort()).to.equal([...logged].sort());
    });
});
