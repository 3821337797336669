/** Reads the beginning of a table in CSV. */

const DELIMITERS = [',', ';', '\t', '|'];

/** Rows that are read. */
const MAX_ROWS = 200;

/** A table. */
export interface Table {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly string[])[];
}

/** Reads a table whose first line has the names of the columns; the delimiter is the most frequent one of that line. Quotes are as in RFC 4180. */
export function readTable(text: string): Table {

    const plain = text.replace(/^\uFEFF/, '');
    const first = plain.split(/\r?\n/, 1)[0] ?? '';
    const counts = DELIMITERS.map((delimiter) => first.split(delimiter).length);
    const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
    const [columns = [], ...rows] = readRows(plain, delimiter);
    return { columns: columns.map((name) => name.trim()), rows: rows.filter((row) => row.some((cell) => cell !== '')) };
}

function readRows(text: string, delimiter: string): string[][] {

    const rows: string[][] = [];
    let row: string[] = [];
    let cell = '';
    let isQuoted = false;
    for (let at = 0; at < text.length && rows.length <= MAX_ROWS; ++at) {
        const character = text[at] ?? '';
        if (isQuoted) {
            if (character !== '"') {
                cell += character;
            }
            else if (text[at + 1] === '"') {
                cell += '"';
                ++at;
            }
            else {
                isQuoted = false;
            }
        }
        else if (character === '"' && cell === '') {
            isQuoted = true;
        }
        else if (character === delimiter) {
            row.push(cell);
            cell = '';
        }
        else if (character === '\n') {
            rows.push([...row, cell.replace(/\r$/, '')]);
            row = [];
            cell = '';
        }
        else {
            cell += character;
        }
    }

    return cell === '' && row.length === 0 ? rows : [...rows, [...row, cell.replace(/\r$/, '')]];
}
