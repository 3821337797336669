/**
 * One pass over JSON text for what JSON.parse does not tell: depth, numbers and strings that would not survive, and the
 * number of properties. It runs on every body, so it takes nothing apart and allocates next to nothing.
 */

/** What {@link inspect} answers for text that must be refused. */
export const FAULTY = -1;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Counts the colons outside of strings, which is the number of properties if the text is JSON, or answers FAULTY when the
 * text is too deep or has strings or numbers that would not survive. Other syntax is left to JSON.parse.
 */
export function inspect(text: string, maxDepth: number): number {

    if (!text.isWellFormed()) {
        return FAULTY;
    }

    let colons = 0;
    let depth = 0;
    for (let i = 0; i < text.length; ++i) {
        const code = text.charCodeAt(i);
        if (code === QUOTE) {
            i = stringEnd(text, i);
            if (i === FAULTY) {
                return FAULTY;
            }
        }
        else if (code === 0x3a) {                           // :
            ++colons;
        }
        else if (code === 0x7b || code === 0x5b) {          // { [
            if (++depth > maxDepth) {
                return FAULTY;
            }
        }
        else if (code === 0x7d || code === 0x5d) {          // } ]
            --depth;
        }
        else if (code >= 0x30 && code <= 0x39) {            // A digit; the sign does not matter
            i = numberEnd(text, i) - 1;
            if (i < 0) {
                return FAULTY;
            }
        }
    }

    return colons;
}

/** Index of the closing quote (or of the end of the text), FAULTY when the string has an escaped lone surrogate. */
function stringEnd(text: string, start: number): number {

    for (let i = start + 1; i < text.length; ++i) {
        const code = text.charCodeAt(i);
        if (code === QUOTE) {
            return i;
        }

        if (code === BACKSLASH) {
            const length = escapeLength(text, i);
            if (length === FAULTY) {
                return FAULTY;
            }

            i += length - 1;
        }
    }

    return text.length;
}

/** Characters of the escape at `i`, both halves of a surrogate pair taken together; FAULTY for half a pair. */
export function escapeLength(text: string, i: number): number {

    if (text.charCodeAt(i + 1) !== 0x75) {                  // u
        return 2;
    }

    const unit = Number.parseInt(text.slice(i + 2, i + 6), 16);
    if (!(unit >= 0xd800 && unit <= 0xdfff)) {
        return 2;
    }

    const isPair = unit <= 0xdbff && /^\\u[dD][c-fC-F][0-9a-fA-F]{2}$/.test(text.slice(i + 6, i + 12));
    return isPair ? 12 : FAULTY;
}

/** Index behind the number that has a digit at `start`; FAULTY when a double does not hold its value. */
function numberEnd(text: string, start: number): number {

    let end = start + 1;
    while (isDigitOrDot(text.charCodeAt(end))) {
        ++end;
    }

    const hasExponent = (text.charCodeAt(end) | 0x20) === 0x65;         // e E
    if (!hasExponent && end - start <= 15) {
        return end;                                         // A double holds any fifteen decimal digits
    }

    if (hasExponent) {
        const sign = text.charCodeAt(++end);
        end += sign === 0x2b || sign === 0x2d ? 1 : 0;      // + -
        while (isDigitOrDot(text.charCodeAt(end))) {
            ++end;
        }
    }

    return survives(text.slice(start, end)) ? end : FAULTY;
}

function isDigitOrDot(code: number): boolean {

    return code >= 0x30 && code <= 0x39 || code === 0x2e;
}

/** True when reading a decimal number without sign and printing it again gives the same value. */
export function survives(token: string): boolean {

    const written = normalise(token);
    if (written === null) {
        return true;                                        // Not a number; JSON.parse will say so
    }

    if (written === '0') {
        return true;
    }

    return written.length < 64 && written === normalise(String(Number(token)));
}

/** A decimal number as `digits` without outer zeros, `e`, exponent: `1.50` and `15e-1` both give `15e-1`. */
function normalise(token: string): string | null {

    const match = /^([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(token);
    if (!match) {
        return null;
    }

    const [, whole = '', fraction = '', exponent = '0'] = match;
    const digits = whole + fraction;
    let first = 0;
    while (first < digits.length && digits.charCodeAt(first) === 0x30) {
        ++first;
    }

    let last = digits.length;
    while (last > first && digits.charCodeAt(last - 1) === 0x30) {
        --last;
    }

    if (first === last) {
        return '0';
    }

    return `${digits.slice(first, last)}e${Number(exponent) - fraction.length + digits.length - last}`;
}
