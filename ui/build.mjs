/**
 * Bundles the web UI into `dist/ui/static`: modules that load each other as they are needed, one style sheet, each with the hash of its bytes in
 * its name and compressed as far as possible, `index.json`, which lists them for the service, and the licenses of the packages in them.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    setup(build) {

        const path = join(ROOT, 'lib/search/query/grammar.peggy');
        build.onResolve({ filter: /^query-grammar$/ }, () => ({ path, namespace: 'grammar' }));
        build.onLoad({ filter: /./, namespace: 'grammar' }, async () => {

            const { default: { generate } } = await import('peggy');
            return { contents: generate(readFileSync(path, 'utf8'), { output: 'source', format: 'es' }), loader: 'js', watchFiles: [path] };
        });
    }
};

/** Builds; throws after esbuild has shown what is wrong. `outFolder` is for measurements. */
export async function buildUi(outFolder = STATIC) {

    const { build } = await import('esbuild');
    rmSync(outFolder, { recursive: true, force: true });
    mkdirSync(outFolder, { recursive: true });
    const { metafile } = await build({
        absWorkingDir: ROOT,
        entryPoints: { main: 'ui/src/main.tsx', style: 'ui/src/styles/index.css' },
        outdir: outFolder,
        bundle: true, splitting: true, minify: true, metafile: true, format: 'esm', target: 'es2022', charset: 'utf8', legalComments: 'none',
        entryNames: '[name]-[hash]', chunkNames: 'part-[hash]', assetNames: '[name]-[hash]',
        jsx: 'automatic', jsxImportSource: 'preact', tsconfigRaw: {}, logLevel: 'warning', plugins: [queryGrammar]
    });
    writeFileSync(join(outFolder, 'licenses.txt'), licensesOf(Object.keys(metafile.inputs)));
    const outputs = Object.entries(metafile.outputs);
    const find = (entryPoint) => outputs.find(([, output]) => output.entryPoint === entryPoint);
    const [script] = find('ui/src/main.tsx');
    // The search as well, which must show its first results soon: the browser would find it, and then its parts, one after the other only.
    const [search] = find('ui/src/search/search.tsx');
    const index = {
        script: basename(script), style: basename(find('ui/src/styles/index.css')[0]),
        imports: [...new Set([...importsOf(script, metafile), search, ...importsOf(search, metafile)])].map((path) => basename(path)),
        files: readdirSync(outFolder).sort()
    };
    index.files.forEach((name) => compress(join(outFolder, name)));
    writeFileSync(join(outFolder, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
    return index;
}

/** What a module cannot run without: its imports, and theirs. */
function importsOf(path, { outputs }, found = new Set()) {

    outputs[path].imports.filter(({ kind }) => kind === 'import-statement').forEach(({ path: each }) => {

        if (!found.has(each)) {
            found.add(each);
            importsOf(each, { outputs }, found);
        }
    });
    return [...found];
}

/** The licenses of all packages that are in the bundle, which have to go with it. */
function licensesOf(inputs) {

    const packages = [...new Set(inputs.flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[0] ?? []))].sort();
    return packages.map((folder) => {

        const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
        const file = readdirSync(join(ROOT, folder)).find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each));
        const text = file === undefined ? `License: ${license}` : readFileSync(join(ROOT, folder, file), 'utf8').trim();
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
