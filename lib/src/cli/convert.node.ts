import { existsSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import { drawingEndings, drawingFile, readDrawingFile, writeDrawingFile } from './drawing-file.node.js';

export function addConvert(program: Command): void {
  program
    .command('convert')
    .description('turn a drawing of one program into that of another')
    .argument(
      '<from>',
      `the drawing: ${drawingEndings}; a PNG only when it has the drawing in it`,
      drawingFile,
    )
    .argument('<to>', 'the file to write, in the format of its ending', drawingFile)
    .option('--font <file>', 'font for the labels of a PNG', fontFile)
    .addHelpText('after', '\nExample:\n  posttrain convert flow.mmd flow.excalidraw')
    .action(convert);
}

/** For options: a font that is there. */
export function fontFile(path: string): string {
  if (!existsSync(path)) throw new InvalidArgumentError('There is no such file.');
  return path;
}

async function convert(from: string, to: string, { font }: { readonly font?: string }): Promise<void> {
  const { canvas, dropped } = readDrawingFile(from);
  const warnings = await writeDrawingFile(to, canvas, font);
  const lost = dropped.length === 0 ? [] : [`left out: ${dropped.join(', ')}`];
  const counts = `${canvas.shapes.length} shapes, ${canvas.edges.length} arrows`;
  process.stdout.write(`${to}: ${[counts, ...lost, ...warnings].join('; ')}\n`);
}
