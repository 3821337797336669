/** The style sheets of the web UI, which are one for the whole page: the parts do not share names of classes by accident. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/doc-pages.js';

export const lab = Lab.script();
const { describe, it } = lab;

const FOLDER = join(ROOT, 'ui/src/styles');

/** Style sheets for everybody, whose classes other parts may refine. */
const SHARED = new Set(['tokens.css', 'elements.css', 'components.css', 'index.css']);

/** Classes with which a selector of a style sheet begins: those that it defines. */
function definedClasses(css: string): Set<string> {

    const selectors = css.replace(/\/\*.*?\*\//gs, '').replace(/@media[^{]*\{/g, '').matchAll(/([^{}]+)\{[^{}]*\}/g);
    return new Set([...selectors].flatMap(([, list = '']) => list.split(',')).flatMap((selector) => /^\s*\.([\w-]+)/.exec(selector)?.[1] ?? []));
}

describe('the style sheets of the web UI', () => {

    it('have classes of their own: none is defined by two parts', () => {

        const shared = new Set([...SHARED].flatMap((file) => [...definedClasses(readFileSync(join(FOLDER, file), 'utf8'))]));
        const owners = new Map<string, string[]>();
        for (const file of readdirSync(FOLDER).filter((name) => !SHARED.has(name))) {
            for (const name of definedClasses(readFileSync(join(FOLDER, file), 'utf8'))) {
                owners.set(name, [...owners.get(name) ?? [], file]);
            }
        }

        const doubled = [...owners].filter(([name, files]) => files.length > 1 && !shared.has(name)).map(([name, files]) => `.${name}: ${files.join(', ')}`);

        expect(owners.size).to.be.above(50);
        expect(doubled).to.equal([]);
    });

    it('have colours by tokens only', () => {

        for (const file of readdirSync(FOLDER).filter((name) => name !== 'tokens.css')) {
            const css = readFileSync(join(FOLDER, file), 'utf8').replace(/\/\*.*?\*\//gs, '');
            const literals = [...css.matchAll(/[{;]\s*(?!--)[\w-]+:[^;{}]*(#[\da-f]{3,8}\b(?![\w-])|\brgba?\(|\bhsla?\()/gi)].map(([, colour]) => `${file}: ${colour}`);

            expect(literals.filter((each) => !each.endsWith('#0007'))).to.equal([]);
        }
    });
});
