/**
 * Tables of the documentation that are made from the code.
 */

import { describeConfig } from '../../lib/config/index.js';
import { fileVariable } from '../../lib/config/settings.js';
import type { Operation } from '../../lib/core/operation.js';
import { builtInOperations } from '../../lib/operations/index.js';

/** All built-in operations. */
export function operationTable(): string {

    const rows = builtInOperations.map(({ id, aliases = [], target, methods = ['POST'], authorise, summary }) => {

        const names = [id, ...aliases].map((name) => `\`${name}\``).join(', ');
        return `| ${names} | ${target} | ${methods.join(', ')} | ${who(authorise)} | ${summary} |`;
    });
    return ['| Operation | Target | Methods | Who | What |', '|---|---|---|---|---|', ...rows].join('\n');
}

function who(rule: Operation['authorise']): string {

    return typeof rule === 'function' ? 'its own rule' : WORDS[rule];
}

const WORDS: Readonly<Record<Exclude<Operation['authorise'], (...args: never[]) => unknown>, string>> = {
    anyone: 'anyone', caller: 'anyone logged in', admin: 'admin', reader: 'readers', writer: 'writers', 'in-handler': 'depends on the input'
};

/** The table of settings in Markdown, for docs/settings.md. */
export function configTable(): string {

    const rows = describeConfig().map(({ name, fallback, description, secret, cordraName }) => {

        const file = secret ? ` Or \`${fileVariable(name)}\`, the path of a file that holds it.` : '';
        const text = `${description}${file}${cordraName === null ? '' : ` Where it is not set: \`${cordraName}\`.`}`;
        return `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${text.replaceAll('|', '\\|')} |`;
    });

    return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}
