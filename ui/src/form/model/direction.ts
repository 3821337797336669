/** The direction of texts that people edit. Pure, for tests. */

/** Longer texts have the direction of their beginning: for `auto` browsers need a time that grows with the square of the number of lines. */
const MAX_AUTO = 5000;

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Returns the attribute `dir` of a text: that of its first letter where the browser shall not look for it. */
export function directionOf(text: string): 'auto' | 'ltr' | 'rtl' {

    if (text.length <= MAX_AUTO) {
        return 'auto';
    }

    const [first = ''] = /\p{L}/u.exec(text.slice(0, MAX_AUTO)) ?? [];
    return RIGHT_TO_LEFT.test(first) ? 'rtl' : 'ltr';
}
