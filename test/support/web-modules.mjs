/**
 * Compiles `lib/client/web` to ES modules as well, below `dist/lib/client/web/esm`, for browsers that load them as they are and for programs that
 * import them. The types are those of the CommonJS modules.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = join(ROOT, 'lib/client/web');
const MODULES = join(ROOT, 'dist/lib/client/web/esm');

/** Writes the modules. Their types were checked by the compilation to CommonJS. */
export async function writeWebModules() {

    const { default: { ModuleKind, ScriptTarget, transpileModule } } = await import('typescript');
    rmSync(MODULES, { recursive: true, force: true });
    mkdirSync(MODULES, { recursive: true });
    writeFileSync(join(MODULES, 'package.json'), '{ "type": "module" }\n');
    for (const file of readdirSync(SOURCES)) {
        const name = file.replace(/\.ts$/, '');
        const { outputText } = transpileModule(readFileSync(join(SOURCES, file), 'utf8'), {
            fileName: file, compilerOptions: { module: ModuleKind.ES2022, target: ScriptTarget.ES2022 }
        });
        writeFileSync(join(MODULES, `${name}.js`), outputText);
        writeFileSync(join(MODULES, `${name}.d.ts`), `export * from '../${name}.js';\n`);
    }
}
