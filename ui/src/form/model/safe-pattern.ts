/**
 * Patterns of schemas. The browser's regular expressions may take exponential time, which those of the service do not, so that the form only uses
 * patterns without nested repetition, and only on short texts. What it does not check, the service does.
 */

/** Texts of more characters are not tested. */
const MAX_LENGTH = 200;

/** Patterns of more characters are not used. */
const MAX_PATTERN = 500;

const patterns = new Map<string, RegExp | null>();

/** Returns whether a text matches a pattern; undefined if the form cannot say. */
export function matchesPattern(source: string, text: string): boolean | undefined {

    let pattern = patterns.get(source);
    if (pattern === undefined) {
        pattern = compiled(source);
        patterns.set(source, pattern);
    }

    return pattern === null || text.length > MAX_LENGTH ? undefined : pattern.test(text);
}

function compiled(source: string): RegExp | null {

    if (source.length > MAX_PATTERN || isNested(source)) {
        return null;
    }

    for (const flags of ['u', '']) {
        try {
            return new RegExp(source, flags);
        }
        catch {
            // Patterns of old drafts are often valid without the flag only.
        }
    }

    return null;
}

/** Repetitions without an upper bound that matters, and optional parts: the time may grow with a power of the former, and double with each of the latter. */
const [MAX_REPETITIONS, MAX_OPTIONAL] = [3, 6];

/** True if a group with a repetition or an alternative inside is repeated itself, or if there are back-references or many repetitions in a row. */
function isNested(source: string): boolean {

    const plain = source.replace(/\\[1-9k]/g, '\0').replace(/\\./gs, 'x').replace(/\[[^\][]*\]/g, 'x');
    const count = (pattern: RegExp): number => plain.match(pattern)?.length ?? 0;
    // After a parenthesis a question mark says what kind of group it is, after a repetition that it takes as little as it can.
    if (plain.includes('\0') || count(/[*+]|\{\d+,\d*\}/g) > MAX_REPETITIONS || count(/(?<![(*+?}])\?/g) > MAX_OPTIONAL) {
        return true;
    }

    const open: boolean[] = [];
    let isRepeating = false;
    for (let i = 0; i < plain.length; ++i) {
        const token = plain[i] ?? '';
        if (token === '(') {
            open.push(isRepeating);
            isRepeating = false;
        }
        else if (token === ')') {
            const isRepeated = /^(?:[*+]|\{(?!1\}))/.test(plain.slice(i + 1, i + 5));
            if (isRepeated && isRepeating) {
                return true;
            }

            isRepeating = open.pop() === true || isRepeating;
        }
        else if (token === '*' || token === '+' || token === '|' || token === '{' || token === '?' && plain[i - 1] !== '(') {
            isRepeating = true;
        }
    }

    return false;
}
