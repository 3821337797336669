/** Data to look at: painters, museums and works, with references and pictures that are drawn here. */

import type { JsonObject } from '../../../lib/util/json-types.js';
import type { DigitalObject, SearchResults } from '../../../lib/client/web/index.js';
import { repository, sendJson } from '../api/client.js';
import { quoted } from '../components/object-query.js';
import { config } from '../config.js';
import { design, readDesign } from '../state/design.js';
import { t } from './texts.js';

const PAINTERS: readonly (readonly [key: string, name: string, born: number, died: number, country: string])[] = [
    ['gentileschi', 'Artemisia Gentileschi', 1593, 1656, 'Italy'], ['vermeer', 'Johannes Vermeer', 1632, 1675, 'Netherlands'],
    ['merian', 'Maria Sibylla Merian', 1647, 1717, 'Germany'], ['hokusai', 'Katsushika Hokusai', 1760, 1849, 'Japan'],
    ['friedrich', 'Caspar David Friedrich', 1774, 1840, 'Germany'], ['turner', 'J. M. W. Turner', 1775, 1851, 'United Kingdom'],
    ['morisot', 'Berthe Morisot', 1841, 1895, 'France'], ['gogh', 'Vincent van Gogh', 1853, 1890, 'Netherlands'], ['klint', 'Hilma af Klint', 1862, 1944, 'Sweden']
];

const MUSEUMS: readonly (readonly [key: string, name: string, city: string])[] = [
    ['rijksmuseum', 'Rijksmuseum', 'Amsterdam'], ['mauritshuis', 'Mauritshuis', 'The Hague'], ['uffizi', 'Uffizi', 'Florence'], ['orsay', 'Musée d’Orsay', 'Paris'],
    ['national-gallery', 'National Gallery', 'London'], ['kunsthalle', 'Hamburger Kunsthalle', 'Hamburg'], ['van-gogh', 'Van Gogh Museum', 'Amsterdam']
];

const WORKS: readonly (readonly [key: string, title: string, painter: string, museum: string | null, year: number, kind: string, tags: readonly string[]])[] = [
    ['judith', 'Judith Slaying Holofernes', 'gentileschi', 'uffizi', 1620, 'painting', ['baroque', 'figures']],
    ['milkmaid', 'The Milkmaid', 'vermeer', 'rijksmuseum', 1658, 'painting', ['interior', 'figures']],
    ['pearl', 'Girl with a Pearl Earring', 'vermeer', 'mauritshuis', 1665, 'painting', ['portrait']],
    ['delft', 'View of Delft', 'vermeer', 'mauritshuis', 1661, 'painting', ['city', 'landscape']],
    ['pineapple', 'Pineapple with Cockroaches', 'merian', null, 1705, 'print', ['insects', 'plants']],
    ['wave', 'The Great Wave off Kanagawa', 'hokusai', null, 1831, 'print', ['sea', 'landscape']],
    ['fuji', 'Fine Wind, Clear Morning', 'hokusai', null, 1831, 'print', ['mountain', 'landscape']],
    ['wanderer', 'Wanderer above the Sea of Fog', 'friedrich', 'kunsthalle', 1818, 'painting', ['mountain', 'landscape']],
    ['temeraire', 'The Fighting Temeraire', 'turner', 'national-gallery', 1839, 'painting', ['sea', 'ships']],
    ['rain', 'Rain, Steam and Speed', 'turner', 'national-gallery', 1844, 'painting', ['railway', 'landscape']],
    ['cradle', 'The Cradle', 'morisot', 'orsay', 1872, 'painting', ['interior', 'portrait']],
    ['starry-rhone', 'Starry Night over the Rhône', 'gogh', 'orsay', 1888, 'painting', ['night', 'river']],
    ['sunflowers', 'Sunflowers', 'gogh', 'national-gallery', 1888, 'painting', ['plants']],
    ['almond', 'Almond Blossom', 'gogh', 'van-gogh', 1890, 'painting', ['plants']],
    ['ten-largest', 'The Ten Largest, No. 7', 'klint', null, 1907, 'painting', ['abstract']]
];

/** Works with a picture, which is the payload of this name. */
const PAYLOAD = 'picture';
const PICTURED = ['wave', 'wanderer', 'almond', 'ten-largest'];

const SIDE = 480;

/**
 * Loads what is missing of the data, as the administrator: types and objects all or none, then the pictures. What is there stays as it is, so that it can be
 * repeated after a failure. @throws RepositoryError
 */
export async function loadDemo(onProgress: (done: number, total: number) => void): Promise<void> {

    if (!design.value) {
        await readDesign();
    }

    const total = PICTURED.length + 1;
    const items = [...typeItems(), ...objectItems()];
    const stored = await findStored(items);
    const missing = items.filter(({ id }) => !stored.has(id));
    if (missing.length > 0) {
        // What somebody else has stored meanwhile stays, too.
        await sendJson('POST', '/uploadObjects', missing.map((item) => ({ ...item, ifNoneMatch: '*' })));
    }

    onProgress(1, total);
    for (const [index, key] of PICTURED.entries()) {
        const id = idOf(key);
        if (!stored.get(id)?.includes(PAYLOAD)) {
            const body = new File([await drawPicture(index)], `${key}.png`, { type: 'image/png' });
            await repository.putPayload(id, { name: PAYLOAD, body });
        }

        onProgress(index + 2, total);
    }
}

/** The items that are stored, with the names of their payloads. */
async function findStored(items: readonly Item[]): Promise<ReadonlyMap<string, readonly string[]>> {

    const query = items.map(({ id }) => `id:${quoted(id)}`).join(' ');
    const { results } = await sendJson<SearchResults<DigitalObject>>('POST', '/search', { query, pageSize: items.length, filter: ['/id', '/payloads'] }, { isRead: true });
    return new Map(results.map(({ id, payloads = [] }) => [id, payloads.map(({ name }) => name)]));
}

interface Item {
    readonly id: string;
    readonly type: string;
    readonly content: JsonObject;
}

function prefix(): string {

    const found = (design.value?.['handleMintingConfig'] as JsonObject | undefined)?.['prefix'];
    return typeof found === 'string' ? found : 'test';
}

const idOf = (key: string): string => `${prefix()}/demo-${key}`;

/** The extension keyword with its value. */
const extended = (schema: JsonObject, extension: JsonObject): JsonObject => ({ ...schema, [config.keyword]: extension });

const text = (title: string): JsonObject => ({ type: 'string', title });
const titleField = (title: string): JsonObject => extended(text(title), { preview: { showInPreview: true, isPrimary: true } });
const shown = (schema: JsonObject): JsonObject => extended(schema, { preview: { showInPreview: true } });
const reference = (title: string, type: string): JsonObject =>
    extended(text(title), { type: { handleReference: { types: [type] } }, preview: { showInPreview: true } });

function typeItems(): Item[] {

    const year = (title: string): JsonObject => ({ type: 'integer', title, minimum: 0, maximum: 2100 });
    const schemas: Readonly<Record<string, JsonObject>> = {
        Painter: { name: titleField('Name'), born: shown(year('Born')), died: year('Died'), country: shown(text('Country')) },
        Museum: { name: titleField('Name'), city: shown(text('City')) },
        Work: {
            title: titleField('Title'), painter: reference('Painter', 'Painter'), museum: reference('Museum', 'Museum'), year: shown(year('Year')),
            kind: { type: 'string', title: 'Kind', enum: ['painting', 'print', 'drawing'] }, tags: { type: 'array', title: 'Tags', items: { type: 'string' } },
            acquired: { type: 'string', title: 'Acquired', format: 'date' }, notes: { type: 'string', title: 'Notes', format: 'textarea' }
        }
    };
    return Object.entries(schemas).map(([name, properties]) => ({
        id: idOf(`type-${name.toLowerCase()}`), type: 'Schema',
        content: { identifier: '', name, schema: { type: 'object', required: [name === 'Work' ? 'title' : 'name'], properties } }
    }));
}

function objectItems(): Item[] {

    return [
        ...PAINTERS.map(([key, name, born, died, country]) => ({ id: idOf(key), type: 'Painter', content: { name, born, died, country } })),
        ...MUSEUMS.map(([key, name, city]) => ({ id: idOf(key), type: 'Museum', content: { name, city } })),
        ...WORKS.map(([key]) => workOf(key))
    ];
}

function workOf(key: string): Item {

    const [, title, painter, museum, year, kind, tags] = WORKS.find(([each]) => each === key) ?? ['', '', '', null, 0, 'painting', []];
    return {
        id: idOf(key), type: 'Work',
        content: { title, painter: idOf(painter), ...museum === null ? {} : { museum: idOf(museum) }, year, kind, tags: [...tags] }
    };
}

/** A picture of waves, in other colours for each number. */
async function drawPicture(number: number): Promise<Blob> {

    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [SIDE, SIDE * 3 / 4];
    const context = canvas.getContext('2d');
    const hue = number * 75 % 360;
    for (let line = 0; context && line < 12; ++line) {
        context.fillStyle = `hsl(${(hue + line * 6) % 360} 55% ${88 - line * 5}%)`;
        context.beginPath();
        context.moveTo(0, SIDE);
        for (let x = 0; x <= SIDE; x += 8) {
            context.lineTo(x, line * 30 + Math.sin(x / 50 + line * (number + 1)) * 18);
        }

        context.lineTo(SIDE, SIDE);
        context.fill();
    }

    return new Promise((resolve, reject) => {

        canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(t('noPicture')))), 'image/png');
    });
}
