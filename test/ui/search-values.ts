/** Values in results of a search: as they are stored, with all digits, and references as the objects that they stand for. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { hasBrowser, logInAsAdmin } from '../support/browser.js';
import { startUi } from '../support/ui-suite.js';

export const lab = Lab.script();
const { describe, it, before } = lab;

const SHOWN = { preview: { showInPreview: true } };

const SAMPLE = {
    type: 'object', properties: {
        title: { type: 'string', title: 'Title', cordra: { preview: { isPrimary: true, showInPreview: true } } },
        mass: { type: 'number', title: 'Mass', cordra: SHOWN }, count: { type: 'integer', title: 'Count', cordra: SHOWN }, parts: { type: 'object', title: 'Parts', cordra: SHOWN },
        day: { type: 'string', format: 'date', title: 'Day', cordra: SHOWN }, at: { type: 'string', format: 'date-time', title: 'At', cordra: SHOWN },
        of: { type: 'string', title: 'Of', cordra: { ...SHOWN, type: { handleReference: { types: ['Sample'], prepend: 'test/' } } } }
    }
};

describe('values in results of the web UI', { skip: !hasBrowser }, () => {

    const ui = startUi(lab);
    before(async () => {

        await ui.ask('PUT', '/schemas/Sample', SAMPLE);
        await ui.ask('POST', '/objects?type=Sample&handle=test/whole', { title: 'The whole' });
        const body = '{"title":"A part","mass":0.000012345678901234567890,"count":12345678901234567890,"parts":{"each":1.10},"of":"whole"}';
        const response = await ui.ask('POST', '/objects?type=Sample&handle=test/part', body);
        expect(response.status).to.equal(200);
    });

    it('have their digits, and lead to the objects that they name without a prefix', async () => {

        const { page } = ui;
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects?query=type:Sample`);
        const row = page.getByRole('row').filter({ hasText: 'A part' });
        await row.waitFor();
        for (const text of ['0.000012345678901234567890', '12345678901234567890', '{"each":1.10}']) {
            await row.getByText(text, { exact: true }).waitFor();
        }

        await row.getByRole('link', { name: 'The whole' }).waitFor();
        expect(await row.getByRole('link', { name: 'The whole' }).getAttribute('href')).to.equal('#objects/test/whole');
        // Also where values are counted.
        await page.locator('.facet').filter({ hasText: 'Of' }).getByText('The whole').waitFor();
    });

    it('are no dates that nobody has entered', async () => {

        const loose = { type: 'object', properties: { ...SAMPLE.properties, day: { type: 'string', title: 'Day' }, at: { type: 'string', title: 'At' } } };
        await ui.ask('PUT', '/schemas/Sample', loose);
        expect((await ui.ask('POST', '/objects?type=Sample&handle=test/old', { title: 'An old one', day: 'um 1850', at: '2023-02-30T10:00:00Z' })).status).to.equal(200);
        expect((await ui.ask('PUT', '/schemas/Sample', SAMPLE)).status).to.equal(200);
        const { page } = ui;
        await logInAsAdmin(page, ui.url);
        for (const address of ['/#objects?query=type:Sample', '/#objects/test/old']) {
            await page.goto(ui.url + address);
            for (const text of ['um 1850', '2023-02-30T10:00:00Z']) {
                await page.locator('main').getByText(text, { exact: true }).first().waitFor();
            }
        }
    });

    it('are all those that a type shows of an object inside, also those that it shows since the last visit', async () => {

        const place = (...shown: readonly string[]): object => ({
            type: 'object', properties: Object.fromEntries(['city', 'street'].map((name) => [name, { type: 'string', title: name, ...shown.includes(name) ? { cordra: SHOWN } : {} }]))
        });
        const type = (...shown: readonly string[]): object => ({ type: 'object', properties: { title: { type: 'string' }, place: place(...shown) } });
        await ui.ask('PUT', '/schemas/Site', type('city'));
        await ui.ask('POST', '/objects?type=Site&handle=test/site', { title: 'The site', place: { city: 'Trier', street: 'Porta-Nigra-Platz' } });
        const { page } = ui;
        await logInAsAdmin(page, ui.url);
        await page.goto(`${ui.url}/#objects?query=type:Site`);
        const row = page.getByRole('row').filter({ hasText: 'The site' });
        await row.getByText('Trier', { exact: true }).waitFor();
        await ui.ask('PUT', '/schemas/Site', type('city', 'street'));
        await page.reload();
        await row.getByText('Porta-Nigra-Platz', { exact: true }).waitFor();

        expect(await row.getByText('Trier', { exact: true }).count()).to.equal(1);
    });
});
