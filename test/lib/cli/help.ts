/** The help has the options that each command takes, and no others. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { URL_OPTIONS } from '../../../lib/cli/command.js';
import { commandOptions } from '../../../lib/cli/commands.js';
import { helpText } from '../../../lib/cli/help.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Column at which the explanations of options begin. */
const COLUMN = 28;

const LIKE_CALL = ' have the options of call up to --insecure, and:';

const optionsIn = (text: string): string[] => [...text.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name);

/** Options by command, as the help says: those of the lines of usage, and of the paragraphs below them. */
function explained(help: string, names: readonly string[]): Map<string, Set<string>> {

    const found = new Map(names.map((name) => [name, new Set<string>()]));
    const add = (name: string, options: readonly string[]): void => options.forEach((option) => found.get(name)?.add(option));
    const [usage = '', ...paragraphs] = help.split('\n\n');
    for (const entry of usage.split('doip-gateway ').slice(1)) {
        add(names.filter((name) => `${entry} `.startsWith(`${name} `)).sort().at(-1) ?? 'serve', optionsIn(entry.replace(/as --\w+ does/, '')));
    }

    for (const [heading = '', ...lines] of paragraphs.map((paragraph) => paragraph.split('\n')).filter(([heading = '']) => /^call |, and:$/.test(heading))) {
        const commands = heading.startsWith('call ') ? ['call'] : heading.replace(LIKE_CALL, '').split(/, | and /);
        for (const line of lines) {
            const [options, text] = [optionsIn(line.slice(0, COLUMN)), line.slice(COLUMN)];
            const named = text.split('; ').flatMap((part) => /^([a-z, ]+): /.exec(part)?.[1]?.split(', ').filter((name) => commands.includes(name)) ?? []);
            (named.length > 0 ? named : commands).forEach((name) => add(name, options));
        }

        if (heading.endsWith(LIKE_CALL)) {
            commands.forEach((name) => add(name, URL_OPTIONS));
        }
    }

    return found;
}

describe('the help', () => {

    const taken = new Map<string, readonly string[]>([...commandOptions(), ['serve', ['port']]]);
    const found = explained(helpText(), [...taken.keys()]);

    for (const [name, options] of taken) {
        it(`has the options of ${name}`, () => {

            expect([...found.get(name) ?? []].sort()).to.equal([...options].sort());
        });
    }
});
