/** Rows of a file to import, with the lines where they begin. */

import type { JsonValue } from '../../util/json-types.js';

/** A row, or the reason why it cannot be read. */
export type Row = { readonly line: number } & ({ readonly value: JsonValue; readonly error?: undefined } | { readonly error: string });

/** A file that is not of its format, from a line on: rows before it were read. */
export class FormatError extends Error {

    override readonly name = 'FormatError';
}
