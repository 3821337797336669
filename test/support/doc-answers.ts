/**
 * Compares an answer that a page shows with the one that was received. Times, minted ids and transaction numbers match any other;
 * `…` stands for anything: in a string, as a member name for further members, as the last element for further elements, as a line.
 */

import { isDeepStrictEqual } from 'node:util';

const ANYTHING = '…';

/** What differs from one run to the next, and what stands for it. */
const VARYING: readonly (readonly [pattern: RegExp, stand: string])[] = [
    [/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z\b/g, '<time>'],
    [/(?<![\w.])([\w.]+\/)[0-9a-f]{20}\b/g, '$1<id>'],
    [/\b[12]\d{12}\b/g, '<ms>'],
    [/\b[12]\d{15}\b/g, '<txn>']
];

/** True when an answer is the one that is shown; of several JSON answers the last. `language` is that of the shown block. */
export function isAsShown(language: string, shown: string, received: string): boolean {

    if (language === 'json') {
        const answer = parsed(received) ?? parsed(received.trim().split('\n').at(-1) ?? '');
        return answer !== undefined && matches(parsed(shown), answer);
    }

    return language === 'http' ? isSameResponse(shown, received) : isSameText(shown, received);
}

/** JSON with `shown` as the pattern. */
function matches(shown: unknown, received: unknown): boolean {

    if (shown === ANYTHING) {
        return true;
    }

    if (Array.isArray(shown) && Array.isArray(received)) {
        const isOpen = shown.at(-1) === ANYTHING;
        const elements: unknown[] = isOpen ? shown.slice(0, -1) : shown;
        return (isOpen ? received.length >= elements.length : received.length === elements.length) &&
            elements.every((element, index) => matches(element, received[index]));
    }

    if (isObject(shown) && isObject(received)) {
        const names = Object.keys(shown).filter((name) => name !== ANYTHING);
        return names.every((name) => Object.hasOwn(received, name) && matches(shown[name], received[name])) &&
            (Object.hasOwn(shown, ANYTHING) || names.length === Object.keys(received).length);
    }

    if (typeof shown === 'string' && typeof received === 'string') {
        return patternOf(shown).test(normalised(received));
    }

    return isDeepStrictEqual(shown, received) || (typeof shown === 'number' && typeof received === 'number' && normalised(`${shown}`) === normalised(`${received}`));
}

/** Status line, the headers that are shown, and the body. */
function isSameResponse(shown: string, received: string): boolean {

    const [shownHead, shownBody] = headAndBody(shown);
    const [head, body] = headAndBody(received.replaceAll('\r\n', '\n'));
    const headers = head.slice(1).map((line) => line.toLowerCase());
    return isSameText(shownHead[0] ?? '', head[0] ?? '') &&
        shownHead.slice(1).every((line) => headers.some((header) => isSameText(line.toLowerCase(), header))) &&
        (parsed(shownBody) === undefined ? isSameText(shownBody, body) : isAsShown('json', shownBody, body));
}

function headAndBody(text: string): [head: string[], body: string] {

    const end = text.indexOf('\n\n');
    return end === -1 ? [text.trim().split('\n'), ''] : [text.slice(0, end).split('\n'), text.slice(end + 2)];
}

function isSameText(shown: string, received: string): boolean {

    const lines = shown.trim().split('\n').map((line) => line.trimEnd());
    const pattern = lines.map((line) => (line === ANYTHING ? '[^]*' : `${patternOf(line).source.slice(1, -1)}\n`)).join('');
    const text = normalised(received.trim()).split('\n').map((line) => `${line.trimEnd()}\n`).join('');
    return new RegExp(`^${pattern}$`, 'u').test(text);
}

function patternOf(shown: string): RegExp {

    const parts = normalised(shown).split(ANYTHING).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
    return new RegExp(`^${parts.join('[^\\n]*')}$`, 'u');
}

function normalised(text: string): string {

    return VARYING.reduce((result, [pattern, stand]) => result.replaceAll(pattern, stand), text);
}

function parsed(text: string): unknown {

    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}

function isObject(value: unknown): value is Record<string, unknown> {

    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
