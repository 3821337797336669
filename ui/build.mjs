/**
 * Bundles the web UI into `dist/ui/static`: modules that load each other as they are needed, one style sheet, each with the hash of its bytes in
 * its name and compressed as far as possible, `index.json`, which lists them for the service, and the licenses of the packages in them.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STATIC = join(ROOT, 'dist/ui/static');

/** Smaller files are sent as they are, in bytes. */
const MIN_COMPRESSED = 256;

/** Compiles the grammar of queries, which the page about a query uses, from the source of the service. */
const queryGrammar = {
    name: 'query-grammar',
    resolveId: (id) => (id === 'query-grammar' ? '\0query-grammar' : null),
    async load(id) {

        if (id !== '\0query-grammar') {
            return null;
        }

        const path = join(ROOT, 'lib/search/query/grammar.peggy');
        this.addWatchFile(path);
        const { default: { generate } } = await import('peggy');
        return { code: generate(readFileSync(path, 'utf8'), { output: 'source', format: 'es' }), moduleType: 'js' };
    }
};

/** Builds; throws with what is wrong. `outFolder` is for measurements. */
export async function buildUi(outFolder = STATIC) {

    rmSync(outFolder, { recursive: true, force: true });
    mkdirSync(outFolder, { recursive: true });
    const [modules, first, style] = [await bundleModules(outFolder), await bundleFirst(outFolder), await bundleStyles(outFolder)];
    writeFileSync(join(outFolder, 'licenses.txt'), licensesOf([...modules, first].flatMap(({ moduleIds }) => moduleIds)));
    const find = (source) => modules.find(({ facadeModuleId }) => facadeModuleId === join(ROOT, source));
    const main = find('ui/src/main.tsx');
    // The search as well, which must show its first results soon: the browser would find it, and then its parts, one after the other only.
    const search = find('ui/src/search/search.tsx');
    const index = {
        first: first.fileName, script: main.fileName, style,
        imports: [...new Set([...importsOf(main, modules), search.fileName, ...importsOf(search, modules)])].filter((name) => name !== main.fileName)
            .sort((a, b) => statSync(join(outFolder, b)).size - statSync(join(outFolder, a)).size),
        files: readdirSync(outFolder).sort()
    };
    index.files.forEach((name) => compress(join(outFolder, name)));
    writeFileSync(join(outFolder, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
    return index;
}

const MAIN = 'ui/src/main.tsx';

/**
 * Bundles the modules. Those that are always there when a part is loaded are in one file: a browser that speaks HTTP/1.1 loads six at a time.
 */
function bundleModules(outFolder) {

    let always = null;
    const name = (id, modules) => {

        always ??= withImports(join(ROOT, MAIN), modules);
        return always.has(id) ? 'base' : null;
    };

    return bundle({ main: MAIN }, { dir: outFolder, format: 'es', chunkFileNames: 'part-[hash].js', codeSplitting: { groups: [{ name, debugName: 'base' }] } });
}

/** A module, its imports, and theirs. */
function withImports(id, modules, found = new Set()) {

    if (!found.has(id)) {
        found.add(id);
        modules.getModuleInfo(id)?.importedIds.forEach((each) => withImports(each, modules, found));
    }

    return found;
}

/** Bundles the script that runs before the modules, and without any of them. */
async function bundleFirst(outFolder) {

    return (await bundle({ first: 'ui/src/first.ts' }, { dir: outFolder, format: 'iife' }))[0];
}

async function bundle(input, output) {

    const { rolldown } = await import('rolldown');
    const build = await rolldown({
        cwd: ROOT, input, platform: 'browser', plugins: [queryGrammar], tsconfig: false,
        resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
        transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } }
    });
    const written = await build.write({ minify: true, comments: false, entryFileNames: '[name]-[hash].js', ...output });
    await build.close();
    return written.output.filter(({ type }) => type === 'chunk');
}

/** Bundles the styles; returns the name of their file. */
async function bundleStyles(outFolder) {

    const { build } = await import('esbuild');
    const { metafile } = await build({
        absWorkingDir: ROOT, entryPoints: { style: 'ui/src/styles/index.css' }, outdir: outFolder, entryNames: '[name]-[hash]',
        bundle: true, minify: true, metafile: true, target: 'es2022', charset: 'utf8', legalComments: 'none', logLevel: 'warning'
    });
    return basename(Object.keys(metafile.outputs)[0]);
}

/** What a module cannot run without: its imports, and theirs. */
function importsOf({ imports }, modules, found = new Set()) {

    modules.filter(({ fileName }) => imports.includes(fileName) && !found.has(fileName)).forEach((module) => {

        found.add(module.fileName);
        importsOf(module, modules, found);
    });
    return [...found];
}

/** The licenses of all packages that are in a bundle, which have to go with it. `inputs` are the paths of its modules. */
export function licensesOf(inputs) {

    const packages = [...new Set(inputs.flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[0] ?? []))].sort();
    return packages.map((folder) => {

        const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        const file = readdirSync(folder).find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each));
        const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
        return `${name} ${version}\n\n${text}\n`;
    }).join(`\n${'-'.repeat(80)}\n\n`);
}

function compress(path) {

    const bytes = readFileSync(path);
    if (bytes.length >= MIN_COMPRESSED) {
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const { files } = await buildUi();
    for (const name of files) {
        const size = (ending) => {

            try {
                return readFileSync(join(STATIC, name + ending)).length;
            }
            catch {
                return null;
            }
        };

        console.log(`${name.padEnd(28)} ${String(size('')).padStart(8)} ${String(size('.gz') ?? '').padStart(8)} gz ${String(size('.br') ?? '').padStart(8)} br`);
    }
}
