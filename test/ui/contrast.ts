/** Contrast of what axe does not look at: the placeholders of fields, on the colour behind them. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before } = lab;

/** Least contrast of text by WCAG 2.2 AA. */
const MIN_CONTRAST = 4.5;

/** Returns each placeholder of the page with its contrast. */
const CONTRASTS = `(() => {
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => [r, g, b].map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (element) => {
        const colour = parse(getComputedStyle(element).backgroundColor);
        return colour[3] === 0 && element.parentElement ? behind(element.parentElement) : colour;
    };
    return [...document.querySelectorAll('[placeholder]:not([placeholder=""])')].map((field) => {
        const style = getComputedStyle(field, '::placeholder');
        const [a, b] = [luminance(parse(style.color)), luminance(behind(field))].sort((x, y) => y - x);
        return { text: field.placeholder, contrast: style.opacity === '1' ? (a + 0.05) / (b + 0.05) : 0 };
    });
})()`;

describe('placeholders of the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);

    before(async () => {

        await ui.ask('PUT', '/schemas/Note', { type: 'object', properties: { title: { type: 'string', examples: ['A title'] }, pages: { type: 'integer', examples: [3] } } });
    });

    for (const colorScheme of ['light', 'dark'] as const) {
        it(`are read as well as other texts, ${colorScheme}`, async () => {

            await logInAsAdmin(ui.page, ui.url);
            await ui.page.emulateMedia({ colorScheme });
            const found: { readonly text: string; readonly contrast: number }[] = [];
            for (const address of ['create/Note', 'schemas/Note', 'admin/users']) {
                await ui.page.goto(`${ui.url}/#${address}`);
                await ui.page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
                await ui.watched.idle();
                found.push(...await ui.page.evaluate<typeof found>(CONTRASTS));
            }

            expect(found.map(({ text }) => text)).to.include(['Example: A title', 'Example: 3']);
            expect(found.filter(({ contrast }) => contrast < MIN_CONTRAST)).to.equal([]);
        });
    }
});
