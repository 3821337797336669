/** The configuration: where values come from, which are refused, and what is said about it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import Path from 'node:path';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Config } from '../../../lib/config/index.js';
import { ConfigError, configure, describeConfig, doubtfulVariables, loadConfig } from '../../../lib/config/index.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const SECRET = 'correct horse battery staple';

/** A handle server with everything that it takes. */
const HANDLE_SERVER = { HANDLE_SERVER_URL: 'https://hdl.example:8000', HANDLE_SERVER_IDENTITY: '300:test/ADMIN', HANDLE_SERVER_SECRET: 'key' };

describe('the configuration', () => {

    let folder: string;

    before(() => {

        folder = mkdtempSync(Path.join(tmpdir(), 'gateway-config-'));
    });

    after(() => {

        rmSync(folder, { recursive: true });
    });

    const file = (name: string, text: string): string => {

        const path = Path.join(folder, name);
        writeFileSync(path, text);
        return path;
    };

    const faultsOf = (load: () => unknown): readonly string[] => {

        const error = expect(load).to.throw(ConfigError);
        return error.errors;
    };

    it('has a default for everything', () => {

        const config = loadConfig({});

        expect(config.listen).to.include({ port: 8080, host: '127.0.0.1', basePath: '', tlsCert: null });
        expect(config.storage).to.equal({
            dataDir: './data', minFreeBytes: null, databaseUrl: null, payloadStore: null, payloadStoreEndpoint: null, payloadStoreRegion: null,
            payloadStorePathStyle: null, payloadStoreWrites: true, payloadStoreAdopt: null, payloadStoreMemory: 256 * 1024 * 1024, payloadStoreSeconds: 10
        });
        expect(config.service).to.equal({ handlePrefix: 'test', baseUri: null, extensionKeyword: 'cordra' });
        expect(config.admin.password).to.be.null();
        expect(config.limits.idBytes).to.equal(255);
    });

    it('prefers the environment to the file, and the file to defaults', () => {

        const path = file('precedence.json', JSON.stringify({ PORT: 9000, HANDLE_PREFIX: '20.500.123', BASE_URI: null }));

        const config = loadConfig({ CONFIG_FILE: path, PORT: '9001' });

        expect(config.listen.port).to.equal(9001);
        expect(config.service).to.include({ handlePrefix: '20.500.123', baseUri: null });
    });

    it('treats an empty variable as unset', () => {

        const config = loadConfig({ PORT: '', ADMIN_PASSWORD: '', ADMIN_PASSWORD_FILE: '', CONFIG_FILE: '', TLS_CERT: '' });

        expect(config).to.equal(loadConfig({}));
    });

    const CORDRA = {
        CORDRA_PREFIX: '20.1000', CORDRA_BASE_URI: 'https://cordra.example/', CORDRA_ADMIN_PASS: SECRET, CORDRA_HDL_ADMIN: '300:20.1000/ADMIN'
    };

    const cordraValues = ({ service, admin, handles }: Config): unknown[] => [service.handlePrefix, service.baseUri, admin.password, handles.adminIdentity];

    it('has the variables of Cordra\'s container where the settings themselves are not given', () => {

        const path = file('own-names.json', JSON.stringify({ HANDLE_PREFIX: '20.2000', BASE_URI: 'https://own.example/', HANDLE_ADMIN_IDENTITY: '300:20.2000/ADMIN' }));
        const secret = file('own-password', 'another password\n');
        const own = ['20.2000', 'https://own.example/', 'another password', '300:20.2000/ADMIN'];
        const [HANDLE_PREFIX, BASE_URI, ADMIN_PASSWORD, HANDLE_ADMIN_IDENTITY] = own;

        expect(cordraValues(loadConfig(CORDRA))).to.equal(['20.1000', 'https://cordra.example/', SECRET, '300:20.1000/ADMIN']);
        expect(cordraValues(loadConfig({ ...CORDRA, HANDLE_PREFIX: '', CORDRA_BASE_URI: '' }))).to.equal(['20.1000', null, SECRET, '300:20.1000/ADMIN']);
        expect(cordraValues(loadConfig({ ...CORDRA, HANDLE_PREFIX, BASE_URI, ADMIN_PASSWORD, HANDLE_ADMIN_IDENTITY }))).to.equal(own);
        expect(cordraValues(loadConfig({ ...CORDRA, CONFIG_FILE: path, ADMIN_PASSWORD_FILE: secret }))).to.equal(own);
    });

    it('names the variables of Cordra\'s container whose values are bad, and shows no secret', () => {

        const faults = faultsOf(() => loadConfig({
            CORDRA_PREFIX: 'a/b', CORDRA_BASE_URI: 'cordra.example', CORDRA_ADMIN_PASS: SECRET.repeat(50), CORDRA_HDL_ADMIN: 'admin'
        }));

        expect(faults).to.have.length(4);
        expect(faults.find((fault) => fault.startsWith('ADMIN_PASSWORD (CORDRA_ADMIN_PASS, environment) '))).to.exist().and.to.not.include(SECRET);
        expect(faults).to.include([
            'BASE_URI (CORDRA_BASE_URI, environment) must be a URL that starts with http:// or https://, got "cordra.example"',
            'HANDLE_ADMIN_IDENTITY (CORDRA_HDL_ADMIN, environment) must be an index and a handle, such as 300:20.500.123/ADMIN, got "admin"'
        ]);
    });

    it('knows the variables of Cordra\'s container in the environment alone', () => {

        const path = file('cordra.json', JSON.stringify({ CORDRA_PREFIX: '20.1000' }));

        expect(faultsOf(() => loadConfig({ CONFIG_FILE: path }))).to.have.length(1);
        expect(faultsOf(() => configure(CORDRA))).to.have.length(4);
        expect(doubtfulVariables({ ...CORDRA, CORDRA_BASE_URL: 'https://cordra.example/' })).to.equal([{ variable: 'CORDRA_BASE_URL', setting: 'CORDRA_BASE_URI' }]);
    });

    it('is the same from code as from the environment', () => {

        const made = configure({ PORT: 0, CORS_ORIGINS: ['https://a.example', 'https://b.example'], ADMIN_PASSWORD: SECRET, BASE_URI: undefined });
        const read = loadConfig({ PORT: '0', CORS_ORIGINS: 'https://a.example, https://b.example', ADMIN_PASSWORD: SECRET });

        expect(made).to.equal(read);
    });

    const good: readonly (readonly [title: string, name: string, value: string, expected: unknown])[] = [
        ['an empty list by the word none', 'CORS_ORIGINS', 'none', []],
        ['any origin', 'CORS_ORIGINS', '*', ['*']],
        ['a list with blanks and a comma too many', 'TRUSTED_PROXIES', ' 10.0.0.0/8,, ::1,loopback ', ['10.0.0.0/8', '::1', 'loopback']],
        ['the IPv6 wildcard address', 'HOST', '::', '::'],
        ['a base path, without its last slash', 'BASE_PATH', '/api/v1/', '/api/v1'],
        ['any free port', 'PORT', '0', 0],
        ['a prefix with dots', 'HANDLE_PREFIX', '20.500.123', '20.500.123'],
        ['another extension keyword', 'EXTENSION_KEYWORD', 'x-repository', 'x-repository'],
        ['MariaDB by its own name', 'DATABASE_URL', 'mariadb://u:p@h/d', 'mariadb://u:p@h/d']
    ];

    for (const [title, name, value, expected] of good) {
        it(`accepts ${title}`, () => {

            const config = loadConfig({ [name]: value });

            const setting = describeConfig().find((candidate) => candidate.name === name);
            const [group, member] = setting!.path;
            expect((config as unknown as Record<string, Record<string, unknown>>)[group]?.[member]).to.equal(expected);
        });
    }

    it('accepts a handle server with a secret key or a certificate, and a local one without TLS', () => {

        const certified = { HANDLE_SERVER_URL: 'https://hdl.example:8000', HANDLE_SERVER_CERT: __filename, HANDLE_SERVER_KEY: __filename };

        expect(loadConfig(HANDLE_SERVER).handles).to.include({ serverSecret: 'key', serverIdentity: '300:test/ADMIN' });
        expect(loadConfig(certified).handles.serverCert).to.equal(__filename);
        expect(loadConfig({ ...HANDLE_SERVER, HANDLE_SERVER_URL: 'http://127.0.0.1:8000/' }).handles.serverUrl).to.equal('http://127.0.0.1:8000/');
        expect(loadConfig({}).handles.serverUrl).to.be.null();
    });

    const bad: readonly (readonly [environment: Record<string, string>, fault: RegExp])[] = [
        [{ PORT: 'abc' }, /^PORT \(environment\) must be a number, got "abc"$/],
        [{ PORT: '65536' }, /^PORT .* less than or equal to 65535/],
        [{ PORT: '-1' }, /^PORT .* greater than or equal to 0/],
        [{ PORT: '80.5' }, /^PORT .* must be an integer/],
        [{ HOST: 'no host' }, /^HOST .* valid hostname, got "no host"/],
        [{ BASE_PATH: 'api' }, /^BASE_PATH .* must be a path such as \/api/],
        [{ BASE_PATH: '/{id}' }, /^BASE_PATH /],
        [{ TRUSTED_PROXIES: '10.0.0.0/33' }, /^TRUSTED_PROXIES .* IP addresses, ranges/],
        [{ TRUSTED_PROXIES: '10.0.0.1,proxy.example' }, /^TRUSTED_PROXIES /],
        [{ TRUSTED_PROXIES: '::1/129' }, /^TRUSTED_PROXIES /],
        [{ TRUSTED_PROXIES: '::1/8/8' }, /^TRUSTED_PROXIES /],
        [{ CORS_ORIGINS: 'https://a.example/path' }, /^CORS_ORIGINS .* must hold origins/],
        [{ CORS_ORIGINS: 'ftp://a.example' }, /^CORS_ORIGINS /],
        [{ CORS_METHODS: 'GET,TRACE' }, /^CORS_METHODS .* must be one of/],
        [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL .* must be one of/],
        [{ HANDLE_PREFIX: 'a/b' }, /^HANDLE_PREFIX .* handle prefix/],
        [{ HANDLE_PREFIX: '.a' }, /^HANDLE_PREFIX /],
        [{ HANDLE_PREFIX: 'x'.repeat(101) }, /^HANDLE_PREFIX .* 100/],
        [{ EXTENSION_KEYWORD: '$ref x' }, /^EXTENSION_KEYWORD .* must be a word/],
        [{ BASE_URI: 'example.org' }, /^BASE_URI .* http:\/\/ or https:\/\//],
        [{ DATABASE_URL: 'mysql://host/d' }, /^DATABASE_URL \(environment\): the database URL must name a user/],
        [{ DATABASE_URL: 'postgres://u:p@h/d' }, /^DATABASE_URL .* must start with mysql:\/\/.* leave it out to use SQLite$/],
        [{ MAX_ID_BYTES: '256' }, /^MAX_ID_BYTES .* 255/],
        [{ SEARCH_MAX_LAG_SECONDS: '2' }, /^SEARCH_MAX_LAG_SECONDS .* greater than or equal to 5, got "2"$/],
        [{ TLS_CERT: __filename }, /^TLS_CERT and TLS_KEY belong together: TLS_KEY is not set$/],
        [{ WORKERS: '4', MAX_CONNECTIONS: '3' }, /^MAX_CONNECTIONS is 3, of which each of 4 worker processes needs a share: set it to 4 or more, or lower WORKERS$/],
        [{ WORKERS: '4', MAX_CONNECTIONS_PER_ADDRESS: '2' }, /^MAX_CONNECTIONS_PER_ADDRESS is 2, of which each of 4 worker processes needs a share: /],
        [{ TLS_KEY: __filename }, /^TLS_CERT and TLS_KEY belong together: TLS_CERT is not set$/],
        [{ TLS_CERT: '/nowhere/cert.pem', TLS_KEY: __filename }, /^TLS_CERT \(environment\) cannot be read: ENOENT/],
        [{ HANDLE_SERVER_SECRET: 'key' }, /^HANDLE_SERVER_SECRET is of no use without HANDLE_SERVER_URL$/],
        [{ ...HANDLE_SERVER, HANDLE_SERVER_URL: 'http://hdl.example:8000' }, /^HANDLE_SERVER_URL must begin with https:\/\//],
        [{ ...HANDLE_SERVER, HANDLE_SERVER_URL: 'http://localhost.example' }, /^HANDLE_SERVER_URL must begin with https:\/\//],
        [{ ...HANDLE_SERVER, HANDLE_SERVER_IDENTITY: 'test/ADMIN' }, /^HANDLE_SERVER_IDENTITY .* an index and a handle/],
        [{ HANDLE_SERVER_URL: 'https://hdl.example' }, /^HANDLE_SERVER_URL needs either HANDLE_SERVER_SECRET or HANDLE_SERVER_CERT$/],
        [{ HANDLE_SERVER_URL: 'https://hdl.example', HANDLE_SERVER_SECRET: 'key' }, /^HANDLE_SERVER_SECRET needs HANDLE_SERVER_IDENTITY/],
        [{ HANDLE_SERVER_URL: 'https://hdl.example', HANDLE_SERVER_CERT: __filename }, /^HANDLE_SERVER_CERT and HANDLE_SERVER_KEY belong together/],
        [{ CONFIG_FILE: '/nowhere/config.json' }, /^CONFIG_FILE \/nowhere\/config\.json cannot be read: ENOENT/],
        [{ ADMIN_PASSWORD_FILE: '/nowhere/password' }, /^ADMIN_PASSWORD_FILE \(environment\) cannot be read: ENOENT/],
        [{ ADMIN_PASSWORD: 'a', ADMIN_PASSWORD_FILE: '/nowhere/password' }, /^ADMIN_PASSWORD and ADMIN_PASSWORD_FILE are both set/]
    ];

    for (const [environment, fault] of bad) {
        it(`rejects ${JSON.stringify(environment).slice(0, 80)}`, () => {

            const faults = faultsOf(() => loadConfig(environment));

            expect(faults).to.have.length(1);
            expect(faults[0]).to.match(fault);
        });
    }

    for (const { name } of describeConfig()) {
        it(`takes no absurd ${name} without a short message, and no number that a timer cannot hold`, () => {

            for (const value of ['-1', '1e400', 'NaN', '9007199254740993', '1.5', ' ', 'a\0b', '../..', '☃', 'x'.repeat(70_000), '4294967296']) {
                const path = file('absurd.json', JSON.stringify({ [name]: value }));
                for (const environment of [{ [name]: value }, { CONFIG_FILE: path }]) {
                    try {
                        loadConfig(environment);
                        expect(/SECONDS|_DAYS|_MS$/.test(name) && Number(value) > 2 ** 31, `${name}=${value}`).to.be.false();
                        expect(name.endsWith('DIR') && /^ *$|\0/.test(value)).to.be.false();
                    }
                    catch (error) {
                        expect(error).to.be.instanceof(ConfigError);
                        expect((error as ConfigError).errors.filter((text) => text.length > 600 || text.includes('\n') || !text.includes('_') && !text.includes(name))).to.equal([]);
                    }
                }
            }
        });
    }

    it('reports all errors of file and environment together', () => {

        const path = file('faults.json', JSON.stringify({ PROT: 1, MAX_PAYLOADS: 'many' }));

        const faults = faultsOf(() => loadConfig({ CONFIG_FILE: path, PORT: 'x', LOG_LEVEL: 'loud', TLS_KEY: __filename }));

        expect(faults.map((fault) => fault.split(' ')[0])).to.only.include(['PROT', 'TLS_CERT', 'PORT', 'LOG_LEVEL', 'MAX_PAYLOADS']);
        expect(faults).to.have.length(5);
    });

    const misspelt: readonly (readonly [name: string, remedy: string | null])[] = [
        ['PROT', 'PORT'],
        ['port', 'PORT'],
        ['handlePrefix', 'HANDLE_PREFIX'],
        ['MAX_PAYLOAD', 'MAX_PAYLOADS'],
        ['ADMIN_PASSWORD_FIL', 'ADMIN_PASSWORD_FILE'],
        ['__proto__', null],
        ['SOMETHING_ELSE_ALTOGETHER', null]
    ];

    for (const [name, remedy] of misspelt) {
        it(`rejects the unknown setting ${name} in a file, ${remedy ? `proposing ${remedy}` : 'with no proposal'}`, () => {

            const path = file('misspelt.json', `{ "${name}": 1 }`);

            const [fault] = faultsOf(() => loadConfig({ CONFIG_FILE: path }));

            expect(fault).to.equal(`${name} (${path}) is not a setting${remedy ? `; did you mean ${remedy}?` : ''}`);
        });
    }

    for (const text of ['', '[]', 'null', '{"PORT":', `{"ADMIN_PASSWORD":"${SECRET}",}`]) {
        it(`rejects a file that contains ${text === '' ? 'nothing' : text.slice(0, 20)}`, () => {

            const [fault, ...others] = faultsOf(() => loadConfig({ CONFIG_FILE: file('broken.json', text) }));

            expect(fault).to.match(/is not valid JSON$|must hold one JSON object$/);
            expect(others).to.be.empty();
        });
    }

    it('reads a file with a byte order mark', () => {

        const path = file('bom.json', '\uFEFF{"PORT":9000}');

        expect(loadConfig({ CONFIG_FILE: path }).listen.port).to.equal(9000);
    });

    describe('secrets in the configuration', () => {

        it('are read from the environment', () => {

            expect(loadConfig({ ADMIN_PASSWORD: SECRET }).admin.password).to.equal(SECRET);
        });

        it('are read from a file of their own, without its last line break', () => {

            const path = file('password', `${SECRET}\n`);

            expect(loadConfig({ ADMIN_PASSWORD_FILE: path }).admin.password).to.equal(SECRET);
        });

        it('are read from a file that the configuration file names', () => {

            const password = file('password', SECRET);
            const path = file('secret-file.json', JSON.stringify({ ADMIN_PASSWORD_FILE: password }));

            expect(loadConfig({ CONFIG_FILE: path }).admin.password).to.equal(SECRET);
        });

        it('are rejected in the configuration file, with reason and remedy', () => {

            const path = file('secret.json', JSON.stringify({ ADMIN_PASSWORD: SECRET, DATABASE_URL: `mysql://u:${SECRET}@h/d` }));

            const faults = faultsOf(() => loadConfig({ CONFIG_FILE: path }));

            expect(faults).to.have.length(2);
            expect(faults[0]).to.match(/^ADMIN_PASSWORD .* must not stand in the configuration file, .* set it in the environment, .* ADMIN_PASSWORD_FILE$/);
            expect(faults[1]).to.match(/^DATABASE_URL .* DATABASE_URL_FILE$/);
            expect(faults.join()).to.not.include(SECRET);
        });

        it('are rejected when their file is empty', () => {

            const [fault] = faultsOf(() => loadConfig({ ADMIN_PASSWORD_FILE: file('empty', '') }));

            expect(fault).to.match(/^ADMIN_PASSWORD \(ADMIN_PASSWORD_FILE, environment\) is not allowed to be empty$/);
        });

        it('are never displayed, even when they are invalid', () => {

            const environments = [{ DATABASE_URL: `postgres://u:${SECRET}@h/d` }, { ADMIN_PASSWORD: SECRET.repeat(50) }];

            for (const environment of environments) {
                const [fault] = faultsOf(() => loadConfig(environment));
                expect(fault).to.not.include(SECRET);
            }
        });
    });

    describe('the documentation of the configuration', () => {

        it('describes every setting in a sentence', () => {

            for (const { name, description } of describeConfig()) {
                expect(name).to.match(/^[A-Z][A-Z_]+$/);
                expect(description).to.match(/\.$/);
            }
        });

        it('names every setting once', () => {

            const names = describeConfig().map(({ name }) => name);

            expect(new Set(names).size).to.equal(names.length);
        });
    });
});
