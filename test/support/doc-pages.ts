/**
 * Pages of the documentation: their code blocks, links and generated sections. Conventions for authors are in docs/testing.md.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Root of the project. */
export const ROOT = join(__dirname, '../../..');

/** A fenced code block. */
export interface Block {
    /** Line of the opening fence, from 1. */
    readonly line: number;
    readonly language: string;
    /** Words after the language: `name=value`, or a bare name with an empty value. */
    readonly options: ReadonlyMap<string, string>;
    readonly text: string;
    /** True when only blank lines separate it from the block before. */
    readonly isAdjacent: boolean;
}

/** A page with its blocks. */
export interface Page {
    /** Path from the root of the project, with slashes. */
    readonly path: string;
    readonly text: string;
    readonly blocks: readonly Block[];
}

const FENCE = '```';

/** README, all pages below docs, and those beside the code, in the order of their paths. */
export function readPages(): readonly Page[] {

    const paths = ['docs', 'lib', 'translators', 'db'].flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md')).sort().map((name) => join(folder, name)));
    return ['README.md', ...paths].map(readPage);
}

/** One page by its path from the root. */
export function readPage(path: string): Page {

    const text = readFileSync(join(ROOT, path), 'utf8');
    return { path: relative(ROOT, join(ROOT, path)).replaceAll('\\', '/'), text, blocks: blocksOf(text) };
}

/** The fenced blocks of a page. */
export function blocksOf(text: string): readonly Block[] {

    const lines = text.split('\n');
    const blocks: Block[] = [];
    let lastEnd = -1;
    for (let at = 0; at < lines.length; ++at) {
        if (!lines[at]!.startsWith(FENCE)) {
            continue;
        }

        const [language = '', ...words] = lines[at]!.slice(FENCE.length).trim().split(/\s+/);
        const end = lines.indexOf(FENCE, at + 1);
        if (end === -1) {
            throw new Error(`the code block in line ${at + 1} has no end`);
        }

        blocks.push({
            line: at + 1, language,
            options: new Map(words.map((word) => [word.split('=', 1)[0]!, word.slice(word.indexOf('=') + 1)] as const)),
            text: lines.slice(at + 1, end).join('\n'),
            isAdjacent: lastEnd >= 0 && lines.slice(lastEnd + 1, at).every((line) => line.trim() === '')
        });
        lastEnd = end;
        at = end;
    }

    return blocks;
}

/** Relative links of a page, without those inside code: target file (empty for the page itself) and anchor. */
export function linksOf({ text }: Page): readonly { file: string; anchor: string }[] {

    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
    return [...prose.matchAll(/\]\(([^()\s]*)\)/g)].map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => ({ file: target.split('#', 1)[0]!, anchor: target.split('#')[1] ?? '' }));
}

/** Anchors of the headings of a page, as GitHub makes them. */
export function anchorsOf({ text }: Page): ReadonlySet<string> {

    const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm);
    return new Set([...headings].map(([, title = '']) => title.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')));
}

/** Text with each generated section replaced, also an empty one: `<!-- name -->` … `<!-- /name -->`. */
export function withSections(text: string, sections: ReadonlyMap<string, () => string>): string {

    return text.replaceAll(/^<!-- ([\w-]+) -->\n(?:[\s\S]*?\n)?<!-- \/\1 -->$/gm, (whole, name: string) => {

        const make = sections.get(name);
        return make ? `<!-- ${name} -->\n${make()}\n<!-- /${name} -->` : whole;
    });
}
