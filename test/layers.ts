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
    ['allows', 'lib/doip/a.ts', `import { b } from './b.js'`],
    ['forbids', 'lib/doip/a.ts', `import type { b } from '../core/b.js'`],
    ['forbids', 'lib/doip/a.ts', `import Joi from '../search/b.js'`],
    ['allows', 'lib/core/a.ts', `import Joi from 'joi'`],
    ['allows', 'lib/core/a.ts', `import { b } from '../doip/error.js'`],
    ['allows', 'lib/core/a.ts', `import type { b } from '../objects/b.js'`],
    ['forbids', 'lib/core/a.ts', `import { b } from '../objects/b.js'`],
    ['forbids', 'lib/core/a.ts', `import type { b } from '../../db/database.js'`],
    ['forbids', 'lib/core/a.ts', `import Hapi from '@hapi/hapi'`],
    ['allows', 'lib/operations/objects/a.ts', `import { b } from '../../objects/b.js'`],
    ['allows', 'lib/operations/objects/a.ts', `import { b } from '../../core/operation.js'`],
    ['forbids', 'lib/operations/objects/a.ts', `import { b } from './retrieve.js'`],
    ['forbids', 'lib/operations/objects/a.ts', `import { b } from '../acls/get.js'`],
    ['forbids', 'lib/operations/objects/a.ts', `import { b } from '../../stores/object-store.js'`],
    ['forbids', 'lib/operations/objects/a.ts', `import { b } from '../../../db/open.js'`],
    ['allows', 'lib/operations/index.ts', `import { b } from './objects/create.js'`],
    ['allows', 'lib/objects/a.ts', `import { b } from '../stores/object-store.js'`],
    ['allows', 'lib/objects/a.ts', `import type { b } from '../../db/database.js'`],
    ['allows', 'lib/objects/a.ts', `import type { b } from '../core/context.js'`],
    ['forbids', 'lib/objects/a.ts', `import { b } from '../core/registry.js'`],
    ['forbids', 'lib/objects/a.ts', `import { b } from '../../db/open.js'`],
    ['forbids', 'lib/objects/a.ts', `import Knex from 'knex'`],
    ['forbids', 'lib/objects/a.ts', `import { b } from '../operations/objects/create.js'`],
    ['forbids', 'lib/objects/a.ts', `import { b } from '../../translators/http/b.js'`],
    ['forbids', 'lib/search/deep/a.ts', `import Boom from '@hapi/boom'`],
    ['allows', 'lib/stores/a.ts', `import Knex from 'knex'`],
    ['allows', 'lib/stores/a.ts', `import type { b } from '../objects/stored-object.js'`],
    ['forbids', 'lib/stores/a.ts', `import { b } from '../objects/object-service.js'`],
    ['allows', 'db/a.ts', `import Knex from 'knex'`],
    ['allows', 'db/a.ts', `import type { b } from '../lib/doip/json.js'`],
    ['forbids', 'db/a.ts', `import { b } from '../lib/doip/error.js'`],
    ['forbids', 'db/migrations/a.ts', `import type { b } from '../../lib/config.js'`],
    ['allows', 'translators/rest/a.ts', `import { b } from '../http/respond.js'`],
    ['allows', 'translators/rest/a.ts', `import { b } from '../../lib/doip/error.js'`],
    ['allows', 'translators/rest/a.ts', `import type { b } from '../../lib/gateway.js'`],
    ['forbids', 'translators/rest/a.ts', `import { b } from '../../lib/gateway.js'`],
    ['forbids', 'translators/rest/a.ts', `import { b } from '../doip-http/request.js'`],
    ['forbids', 'translators/rest/a.ts', `import type { b } from '../../lib/stores/b.js'`],
    ['forbids', 'translators/rest/a.ts', `import { b } from '../../db/open.js'`],
    ['forbids', 'translators/rest/a.ts', `import Boom from '@hapi/boom'`],
    ['forbids', 'translators/http/respond.ts', `import Boom from '@hapi/boom'`],
    ['forbids', 'translators/http/respond.ts', `import { b } from '../rest/project.js'`],
    ['allows', 'translators/http/errors.ts', `import Boom from '@hapi/boom'`],
    ['allows', 'translators/index.ts', `import { b } from './rest/index.js'`],
    ['allows', 'lib/server.ts', `import Hapi from '@hapi/hapi'`],
    ['allows', 'lib/server/a.ts', `import Hapi from '@hapi/hapi'`],
    ['forbids', 'lib/server/a.ts', `import Boom from '@hapi/boom'`],
    ['forbids', 'lib/config.ts', `import Hapi from '@hapi/hapi'`],
    ['allows', 'lib/gateway.ts', `import { b } from './operations/index.js'`],
    ['forbids', 'lib/gateway.ts', `import { b } from '../translators/rest/index.js'`]
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
            expect(rules.includes('@typescript-eslint/no-restricted-imports')).to.equal(verdict === 'forbids');
        });
    }
});
