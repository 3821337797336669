/** Text of others on a terminal. */

/** Returns a text whose control characters, by which a service or a file could steer the terminal, are question marks; line ends and tabs stay. */
export function printable(text: string): string {

    return text.replace(/[^\P{Cc}\n\t]/gu, '?');
}
