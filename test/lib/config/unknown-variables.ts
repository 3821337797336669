import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { misspeltVariables } from '../../../lib/config/unknown-variables.js';

export const lab = Lab.script();
const { describe, it } = lab;

const SETTINGS = ['PORT', 'HOST', 'TLS_KEY', 'BASE_URI', 'DATA_DIR', 'LOG_LEVEL', 'DATABASE_URL', 'ADMIN_PASSWORD', 'ADMIN_PASSWORD_FILE', 'CONFIG_FILE'];

describe('an environment variable', () => {

    const table: [variable: string, setting: string | null][] = [
        ['PROT', 'PORT'], ['HSOT', 'HOST'], ['PORTS', null], ['POST', null], ['HOME', null], ['HOSTNAME', null],
        ['DATABSE_URL', 'DATABASE_URL'], ['DATABASE_URI', 'DATABASE_URL'], ['database_url', 'DATABASE_URL'], ['DATADIR', 'DATA_DIR'],
        ['LOGLEVEL', 'LOG_LEVEL'], ['BASE_URL', 'BASE_URI'], ['ADMIN_PASWORD', 'ADMIN_PASSWORD'], ['ADMIN_PASSWD', 'ADMIN_PASSWORD'],
        ['ADMIN_PASSWORDFILE', 'ADMIN_PASSWORD_FILE'], ['CONFG_FILE', 'CONFIG_FILE'], ['XDG_DATA_DIRS', null], ['PATH', null], ['TLS_CA', null],
        ['PGDATABASE', null], ['PORT', null], ['DATABASE_URL', null]
    ];
    for (const [variable, setting] of table) {
        it(`named ${variable} ${setting === null ? 'is not similar to a setting' : `is recognised as misspelt ${setting}`}`, () => {

            expect(misspeltVariables({ [variable]: 'x' }, SETTINGS)).to.equal(setting === null ? [] : [{ variable, setting }]);
        });
    }

    it('is ignored when it is empty', () => {

        expect(misspeltVariables({ DATABSE_URL: '' }, SETTINGS)).to.be.empty();
    });
});
