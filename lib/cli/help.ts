/** Text of `doip-gateway --help`. */

import { CONFIG_FILE, describeConfig } from '../config/index.js';

const WIDTH = 100;
const INDENT = 4;

/** Usage, exit codes and all settings. */
export function helpText(): string {

    const settings = describeConfig().map(({ name, fallback, description, secret, cordraName }) => {

        const file = secret ? ` Or ${name}_FILE, the path of a file that holds it.` : '';
        const more = cordraName === null ? file : `${file} Where it is not set: ${cordraName}.`;
        return `  ${name}${fallback === '' ? '' : ` (${fallback})`}\n${wrap(`${description}${more}`)}`;
    });

    return `usage: doip-gateway [serve]               serve objects until SIGTERM or an interrupt; --port N instead of PORT
       doip-gateway put [ID]              create an object, or change it; options below
       doip-gateway get ID                print an object, or an element
       doip-gateway search QUERY          print results, one per line
       doip-gateway call OPERATION TARGET perform any operation; options below
       doip-gateway types                 write TypeScript declarations of all operations and types, for programs
       doip-gateway export FILE           write all objects, with payloads and metadata; - is standard
                                          output, --force overwrites a file
       doip-gateway import FILE           restore an export of this program or of the reference implementation,
                                          a file or a folder; - is standard input; or store rows of JSON or CSV
       doip-gateway backup DIR            copy the embedded database to a new folder, also beside a running server
       doip-gateway verify DIR            check a backup
       doip-gateway restore DIR           restore a backup to DATA_DIR, or to the folder of --to; never over data
       doip-gateway keys create NAME      create an API key; keys list and keys revoke ID: options below
       doip-gateway audit                 print who did what; audit verify checks that the log was not changed
       doip-gateway reindex               index all objects again
       doip-gateway move-payloads         move all payloads between the database and the bucket of PAYLOAD_STORE, to where
                                          new ones are stored, also beside a running server
       doip-gateway set-admin-password    ask for a new password of admin, or read it from standard input
       doip-gateway accept-loss           after the loss of a file of the embedded database, allow the next
                                          start without its data; removes nothing
       doip-gateway help                  print this, as --help does
       doip-gateway version               print the version, as --version does

All commands but serve, backup, verify, restore, accept-loss, and those with --url, use the server that runs on DATA_DIR, where there is
one; read access to that folder is their permission. Without a server they open the folder themselves. An interrupted import
can be repeated. backup, verify and restore work on files, whether a server runs or not.

call OPERATION TARGET: OPERATION is an id or alias such as Retrieve, TARGET an object id or service. Prints the output.
  --url URL                 the service: https://HOST, http://HOST or doip://HOST:PORT/ID; default: that of DATA_DIR
  --user NAME               password in DOIP_PASSWORD, or asked for; or an access token in DOIP_TOKEN
  --cert, --cert-key FILE   client certificate and its key (PEM)
  --service-key FILE        public key of the service (a JWK, or its response to Hello), to trust its certificate
  --insecure                send credentials to a service that is not verified
  --attributes, -a A        NAME=VALUE, or a JSON object; any number of them
  --json JSON, --input FILE the input; - is standard input
  --element ID=FILE         a file to be stored as element; with its media type: ID=FILE;type=image/png
  --output FILE             a file for the output; or FOLDER/, for each element a file
  --force                   overwrite the file; the target of a link

put, get, search, types and import have the options of call up to --insecure, and:
  --type NAME               put: of a new object; import: of all rows, which are contents
  --json JSON, --input FILE put: the content
  --element NAME=FILE       put: a file to be stored as element; get: the NAME of one, whose bytes are printed
  --ids                     search: only ids
  --sort FIELDS             search: the order, such as '/year DESC'
  --limit N                 search: the first N
  --output FILE, --force    put, get, search, types: as those of call
  --id TEXT                 import: a column, or a text with columns, such as test/{Number}
  --map /POINTER=COLUMN     import: where the content has a column, :integer and the like for its kind; or a file
  --format NAME             import: ndjson, json or csv
  --delimiter, --encoding   import: of csv
  --dry-run                 import: validate all rows, store nothing
  --replace                 import: also replace what was changed here after the export
  --rejected FILE           import: a file for rejected rows
  --from LINE               import: continue with a line

keys create, keys list and keys revoke have the options of call up to --insecure, and:
  --for USER                keys create, keys list: as admin, a key of another user, the keys of another user
  --operation ID            keys create: an operation that the key permits; any number of them
  --type NAME               keys create: a type whose objects the key permits; any number of them
  --read-only               keys create: permit nothing that changes anything
  --days N                  keys create: the key ends after N days
  --all                     keys list: as admin, the keys of all users

audit and audit verify have the options of call up to --insecure, and:
  --for USER, --object ID   audit: entries of a user, of an object
  --operation ID            audit: entries of an operation
  --outcome NAME            audit: entries with an outcome, such as denied
  --from, --to TIME         audit: a time such as 2026-03-01 or 2026-03-01T09:30Z
  --limit N                 audit: the newest N, 100 by default
  --format ndjson           audit: JSON with all facts instead of columns
  --expect SEAL:HASH        audit verify: a seal that it printed before, which the log must still have

The last line printed at the start is the URL of the service. The log goes to standard error, one line of JSON per
event. On a terminal there is a banner instead, and a log for people. SIGTERM or an interrupt starts a graceful shutdown; a second signal ends the process at once.

Exit codes: 0 success, or stopped by a signal; 64 invalid arguments; 65 an import with rejected objects or without damaged payloads,
an invalid backup or file; 66 a file that cannot be read; 69 a port, address, folder or file that cannot be used; 73 a file that cannot
be written; 74 a lost or damaged file of the database, damaged payloads; 77 wrong credentials or no permission; 78 invalid
configuration, or a database that is not for this version or user; 1 any other failure.

Settings come from the environment, or from the JSON file that ${CONFIG_FILE} names, under these names
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
