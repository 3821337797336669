/** The import table of the code base, as eslint.config.js enforces it: each row is an import that must or must not pass. */

import Path from 'node:path';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { ESLint } from 'eslint';
import type { Linter } from 'eslint';
import TsEslint from 'typescript-eslint';

export const lab = Lab.script();
const { describe, it } = lab;

const ROOT = Path.resolve(__dirname, '../..');

const CASES: readonly (readonly [verdict: 'allows' | 'forbids', file: string, statement: string])[] = [
    ['allows', 'lib/util/a.ts', `import { b } from './b.js'`],
    ['forbids', 'lib/errors/a.ts', `import type { b } from '../util/b.js'`],
    ['allows', 'lib/util/concurrency/a.ts', `import { b } from '../../errors/errors.js'`],
    ['forbids', 'lib/util/concurrency/a.ts', `import type { b } from '../../json/b.js'`],
    ['allows', 'lib/doip/a.ts', `import { b } from './b.js'`],
    ['forbids', 'lib/doip/a.ts', `import type { b } from '../core/b.js'`],
    ['forbids', 'lib/doip/a.ts', `import Joi from '../search/b.js'`],
    ['forbids', 'lib/model/a.ts', `import type { b } from '../types/b.js'`],
    ['allows', 'lib/core/a.ts', `import Joi from 'joi'`],
    ['allows', 'lib/core/a.ts', `import { b } from '../errors/errors.js'`],
    ['allows', 'lib/core/a.ts', `import type { b } from '../objects/b.js'`],
    ['forbids', 'lib/core/a.ts', `import { b } from '../objects/b.js'`],
    ['forbids', 'lib/core/a.ts', `import type { b } from '../../db/database.js'`],
    ['forbids', 'lib/core/a.ts', `import Hapi from '@hapi/hapi'`],
    ['allows', 'lib/operations/objects/a.ts', `import { b } from '../../objects/b.js'`],
    ['allows', 'lib/operations/objects/a.ts', `import { b } from '../../core/operation.js'`],
    ['forbids', 'lib/operations/objects/a.ts', `import { b } from './retrieve.js'`],
    ['forbids', 'lib/operations/objects/a.ts', `import { b } from '../acls/get.js'`],
    ['forbids', 'lib/operations/objects/a.ts', `import type { b } from '../acls/get.js'`],
    ['forbids', 'lib/operations/objects/a.ts', `import { b } from '../../stores/objects/object-store.js'`],
    ['forbids', 'lib/operations/objects/a.ts', `import { b } from '../../../db/engines/open.js'`],
    ['allows', 'lib/operations/index.ts', `import { b } from './objects/create.js'`],
    ['allows', 'lib/objects/a.ts', `import { b } from '../stores/objects/object-store.js'`],
    ['allows', 'lib/objects/a.ts', `import { b } from '../identity/b.js'`],
    ['allows', 'lib/objects/a.ts', `import type { b } from '../../db/database.js'`],
    ['forbids', 'lib/identity/a.ts', `import type { b } from '../objects/b.js'`],
    ['forbids', 'lib/types/a.ts', `import type { b } from '../identity/b.js'`],
    ['forbids', 'lib/objects/a.ts', `import type { b } from '../core/operation-context.js'`],
    ['forbids', 'lib/objects/a.ts', `import { b } from '../../db/engines/open.js'`],
    ['forbids', 'lib/objects/a.ts', `import Knex from 'knex'`],
    ['forbids', 'lib/objects/a.ts', `import { b } from '../operations/objects/create.js'`],
    ['forbids', 'lib/objects/a.ts', `import { b } from '../../translators/http/b.js'`],
    ['allows', 'lib/search/query/a.ts', `import type { b } from '../analysis/b.js'`],
    ['forbids', 'lib/search/deep/a.ts', `import Boom from '@hapi/boom'`],
    ['allows', 'lib/stores/a.ts', `import Knex from 'knex'`],
    ['allows', 'lib/stores/a.ts', `import type { b } from '../model/stored-object.js'`],
    ['forbids', 'lib/stores/a.ts', `import type { b } from '../objects/object-service.js'`],
    ['allows', 'db/a.ts', `import Knex from 'knex'`],
    ['allows', 'db/engines/sqlite/a.ts', `import { b } from '../../errors.js'`],
    ['forbids', 'db/a.ts', `import type { b } from '../lib/util/json-types.js'`],
    ['forbids', 'db/migrations/a.ts', `import type { b } from '../../lib/config/index.js'`],
    ['allows', 'lib/client/web/a.ts', `import type { b } from '../../util/b.js'`],
    ['forbids', 'lib/client/web/a.ts', `import { b } from '../../util/b.js'`],
    ['forbids', 'lib/client/web/a.ts', `import { b } from '../doip-client.js'`],
    ['forbids', 'lib/client/web/a.ts', `import type { b } from '../../json/b.js'`],
    ['forbids', 'lib/client/web/a.ts', `import { Buffer } from 'node:buffer'`],
    ['allows', 'lib/metrics/a.ts', `import type { b } from '../search/runtime/b.js'`],
    ['forbids', 'lib/metrics/a.ts', `import { b } from '../search/runtime/b.js'`],
    ['forbids', 'lib/core/a.ts', `import type { b } from '../metrics/b.js'`],
    ['allows', 'translators/rest/a.ts', `import { b } from '../http/response/respond.js'`],
    ['allows', 'translators/rest/a.ts', `import { b } from './mapping/b.js'`],
    ['allows', 'translators/rest/a.ts', `import { b } from '../../lib/errors/errors.js'`],
    ['allows', 'translators/rest/a.ts', `import type { b } from '../../lib/app/gateway.js'`],
    ['forbids', 'translators/rest/a.ts', `import { b } from '../../lib/app/gateway.js'`],
    ['forbids', 'translators/rest/a.ts', `import type { b } from '../../lib/app/container.js'`],
    ['forbids', 'translators/rest/a.ts', `import type { b } from '../../lib/model/caller.js'`],
    ['forbids', 'translators/rest/a.ts', `import { b } from '../doip-http/request.js'`],
    ['forbids', 'translators/rest/a.ts', `import type { b } from '../../lib/stores/b.js'`],
    ['forbids', 'translators/rest/a.ts', `import { b } from '../../db/engines/open.js'`],
    ['forbids', 'translators/rest/a.ts', `import Boom from '@hapi/boom'`],
    ['forbids', 'translators/http/response/respond.ts', `import Boom from '@hapi/boom'`],
    ['forbids', 'translators/http/response/respond.ts', `import { b } from '../../rest/mapping/rest-object.js'`],
    ['allows', 'translators/http/response/errors.ts', `import Boom from '@hapi/boom'`],
    ['allows', 'translators/index.ts', `import { b } from './rest/index.js'`],
    ['allows', 'lib/server.ts', `import Hapi from '@hapi/hapi'`],
    ['allows', 'lib/http-server/a.ts', `import Hapi from '@hapi/hapi'`],
    ['forbids', 'lib/http-server/a.ts', `import Boom from '@hapi/boom'`],
    ['forbids', 'lib/config/a.ts', `import Hapi from '@hapi/hapi'`],
    ['allows', 'lib/app/a.ts', `import { b } from '../operations/index.js'`],
    ['forbids', 'lib/app/a.ts', `import { b } from '../../translators/rest/index.js'`]
];

describe('the import table', () => {

    // Without type information a file that does not exist can be checked, and quickly.
    const untyped = TsEslint.config(TsEslint.configs.disableTypeChecked,
        { languageOptions: { parserOptions: { projectService: false } } }) as Linter.Config[];
    const eslint = new ESLint({ cwd: ROOT, overrideConfig: untyped });

    for (const [verdict, file, statement] of CASES) {
        it(`${verdict} ${statement} in ${file}`, async () => {

            const [report] = await eslint.lintText(`${statement};\n`, { filePath: Path.join(ROOT, file) });

            const rules = report?.messages.map(({ ruleId }) => ruleId) ?? [];
            expect(rules.some((rule) => rule === '@typescript-eslint/no-restricted-imports' || rule === 'house/layers')).to.equal(verdict === 'forbids');
        });
    }
});
