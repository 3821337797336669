/** The parser of queries: the grammar of the service, which the build of the web UI compiles. */

declare module 'query-grammar' {
    /** Parses a query to a tree as query-tree.ts has it. @throws an error with the place of a syntax error */
    export function parse(text: string): unknown;
}
