/** What the service says, in the language of the user: at fields, at lines of JSON, about queries, in the audit log and among jobs. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { hasBrowser, logInAsAdmin, openPage } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before } = lab;

const NOTE = {
    type: 'object', required: ['title', 'size'], properties: {
        title: { type: 'string', title: 'Titel', minLength: 3 }, kind: { type: 'string', title: 'Art', pattern: '^[a-z]+$' }, size: { type: 'integer', title: 'Umfang', maximum: 10 }
    }
};

describe('messages of the service', { skip: !hasBrowser }, () => {

    const ui = startUi(lab, { AUDIT_DAYS: 3 });

    before(async () => {

        await ui.ask('PUT', '/schemas/Note', NOTE);
        await ui.ask('POST', '/objects?type=Note&handle=test/note', { title: 'Eine Notiz', kind: 'kurz', size: 3 });
    });

    it('are German in a German browser, and English again when that is chosen', async () => {

        const german = await openPage(ui.browser, ui.url, { locale: 'de-DE' });
        const { page } = german;
        german.expected.push(/status of 400/);
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects/test/note?edit`);
        await page.getByRole('textbox', { name: 'Titel', exact: true }).fill('ab');
        await page.getByRole('textbox', { name: 'Umfang', exact: true }).fill('12');
        await page.getByText('ist zu kurz: 2 Zeichen, mindestens 3 sind nötig').first().waitFor();
        await page.getByText('darf höchstens 10 sein').first().waitFor();
        await page.getByRole('textbox', { name: 'Art', exact: true }).fill('LANG');
        await page.getByText('muss dem Muster ^[a-z]+$ entsprechen').first().waitFor();
        await page.getByRole('textbox', { name: 'Umfang', exact: true }).fill('');
        // What is missing is said when somebody wants to save.
        await page.keyboard.press('Control+s');
        await page.getByText('ist erforderlich').first().waitFor();
        await page.getByRole('textbox', { name: 'Umfang', exact: true }).fill('12');

        expect(await page.getByText(/must|is required|too short/).count()).to.equal(0);

        await page.getByRole('button', { name: 'JSON', exact: true }).click();
        await page.getByRole('status').getByText('darf höchstens 10 sein').first().waitFor();
        await page.evaluate('sessionStorage.clear()');
        await page.goto('about:blank');
        await page.goto(`${ui.url}/#objects/?query=${encodeURIComponent('title:(a')}`);
        await page.getByRole('alert').getByText('die Suchanfrage endet unerwartet').waitFor();

        await page.goto(`${ui.url}/#admin/audit`);
        await page.getByText(/ohne Anmeldung|mit Passwort/).first().waitFor();
        await page.getByText('Regel: alle dürfen').first().waitFor();

        await page.goto(`${ui.url}/#admin/status`);
        await page.getByRole('heading', { name: 'Aufträge' }).waitFor();

        expect((await page.getByRole('cell').allInnerTexts()).filter((text) => /^[a-z]+\.[a-z]+$/.test(text))).to.equal([]);

        await page.evaluate('localStorage.setItem("doip-gateway-language", "en")');
        await page.goto('about:blank');
        await page.goto(`${ui.url}/#objects/?query=${encodeURIComponent('title:(a')}`);
        await page.getByRole('alert').getByText('unexpected end of the query').waitFor();
        await german.close();

        expect(german.complaints).to.equal([]);
    });

    for (const [section, path] of [['audit', '/doip'], ['api', '/openapi.json'], ['status', '/status'], ['users', '/search'], ['groups', '/search']] as const) {
        it(`are German in ${section} where there is none, as the service does not respond`, async () => {

            const german = await openPage(ui.browser, ui.url, { locale: 'de-DE' });
            const { page } = german;
            german.expected.push(/ERR_FAILED/);
            await logInAsAdmin(page, ui.url);
            await page.route((url) => url.pathname === path, (route) => route.abort());
            await page.goto(`${ui.url}/#admin/${section}`);
            await page.getByRole('main').getByText('Der Dienst antwortet nicht').first().waitFor();
            await german.close();

            expect(german.complaints).to.equal([]);
        });
    }
});
