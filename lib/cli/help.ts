/** Text of `doip-gateway --help`. */

import { CONFIG_FILE, describeConfig } from '../config/index.js';

const WIDTH = 100;
const INDENT = 4;

/** Usage, exit codes and all settings. */
export function helpText(): string {

    const settings = describeConfig().map(({ name, fallback, description, secret }) => {

        const more = secret ? ` Or ${name}_FILE, the path of a file that holds it.` : '';
        return `  ${name}${fallback === '' ? '' : ` (${fallback})`}\n${wrap(`${description}${more}`)}`;
    });

    return `usage: doip-gateway [serve]               serve objects until SIGTERM or an interrupt
       doip-gateway export FILE           write all objects, with payloads and metadata; - is standard
                                          output, --force overwrites a file
       doip-gateway import FILE           restore what an export has written, or the reference implementation's, a file
                                          or a folder; - is standard input
       doip-gateway reindex               index all objects anew
       doip-gateway set-admin-password    ask for a new password of admin, or read it from standard input
       doip-gateway accept-loss           after a file of the embedded database was lost, let the next
                                          start go on without what was in it; removes nothing
       doip-gateway help                  print this, as --help does
       doip-gateway version               print the version, as --version does

All but serve and accept-loss work through the server that uses DATA_DIR, when one runs, with its rights to read that
folder as their permission; else they open the folder themselves. An import that was interrupted is
simply repeated.

The last line printed at start is the URL that is served. The log goes to standard error, a line of
JSON per event. SIGTERM or an interrupt let the requests in progress end; a second one does not.

Exit codes: 0 done, or stopped as told; 64 wrong arguments, 65 an import of which something was refused,
66 a file that cannot be read, 69 port, address or folder that cannot be used, 73 a file that cannot be
written, 74 a lost file of the database, 78 wrong configuration, 1 anything else.

Settings come from the environment, or from the JSON file that ${CONFIG_FILE} names, by these names
(defaults in parentheses):

${settings.join('\n')}`;
}

function wrap(text: string): string {

    const lines: string[] = [];
    let line = '';
    for (const word of text.split(' ')) {
        if (line !== '' && line.length + word.length + 1 > WIDTH - INDENT) {
            lines.push(line);
            line = '';
        }

        line += line === '' ? word : ` ${word}`;
    }

    return [...lines, line].map((each) => `${' '.repeat(INDENT)}${each}`).join('\n');
}
