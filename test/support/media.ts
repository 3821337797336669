/** Files that browsers show, as small as they can be. */

/** A page with a word, as small as PDF allows. */
export const PDF = Buffer.from(`%PDF-1.1
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 36>>stream
BT /F 24 Tf 10 40 Td (Measured) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
`);

/** A tenth of a second of a tone, as WAV. */
export function wav(): Buffer {

    const rate = 8000;
    const samples = Buffer.from(Array.from({ length: rate / 10 }, (none, i) => Math.round(128 + 100 * Math.sin(i / 3))));
    const head = Buffer.alloc(44);
    head.write('RIFF', 0);
    head.writeUInt32LE(36 + samples.length, 4);
    head.write('WAVEfmt ', 8);
    head.writeUInt32LE(16, 16);
    head.writeUInt16LE(1, 20);
    head.writeUInt16LE(1, 22);
    head.writeUInt32LE(rate, 24);
    head.writeUInt32LE(rate, 28);
    head.writeUInt16LE(1, 32);
    head.writeUInt16LE(8, 34);
    head.write('data', 36);
    head.writeUInt32LE(samples.length, 40);
    return Buffer.concat([head, samples]);
}

/** A short video that the browser records, in base64. */
export const RECORD_VIDEO = `new Promise((resolve, reject) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm' });
    const parts = [];
    let frames = 0;
    const draw = () => {
        context.fillStyle = frames % 2 ? 'red' : 'blue';
        context.fillRect(0, 0, 64, 48);
        ++frames < 20 ? setTimeout(draw, 20) : recorder.stop();
    };
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onerror = reject;
    recorder.onstop = async () => {
        const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
        resolve(btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join('')));
    };
    recorder.start();
    draw();
})`;

/** A picture of one dot. */
export const DOT = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
