/** Places for graphs that come without any, by the scripted teacher's layout. */
import { defaultRules } from '../envs/diagram/canvas.js';
import { boxAround, center } from '../envs/diagram/geometry.js';
import { lint } from '../envs/diagram/lint.js';
import { textSize } from '../envs/diagram/text-metrics.js';
import type { Canvas, ExpectedGraph, Rules, Shape } from '../envs/diagram/types.js';
import { drawGraph, drawingIds } from '../teachers/drawing.js';
import { plainStyles } from '../teachers/styles.js';
import { assemble, type Imported } from './imported.js';

/** Draws a graph in the plainest way that no lint objects to, else with the fewest lints; ids are those of the graph. */
export function drawWanted(graph: ExpectedGraph): Imported {
  if (graph.nodes.length === 0) return assemble([], []);
  // The layout knows boxes only, so a text stands where a box with its words would.
  const boxed = graph.nodes.map((node) =>
    node.shape === 'text' ? { ...node, shape: 'rectangle' as const } : node,
  );
  const texts = new Set(graph.nodes.filter(({ shape }) => shape === 'text').map(({ id }) => id));
  const { shapes, edges } = bestDrawing({ ...graph, nodes: boxed });
  const wantedId = new Map([...drawingIds(graph)].map(([wanted, drawn]) => [drawn, wanted]));
  return assemble(
    shapes.map((shape) => {
      const id = wantedId.get(shape.id)!;
      return texts.has(id) ? { ...asText(shape), id } : { ...shape, id };
    }),
    edges.map(({ from, to, label }) => {
      const ends = { from: wantedId.get(from)!, to: wantedId.get(to)! };
      return { id: `${ends.from}>${ends.to}`, ...ends, label };
    }),
  );
}

/** The words of a box, in its middle, without the box. */
function asText(box: Shape): Shape {
  const { width, height } = textSize(box.text);
  return { ...box, ...boxAround(center(box), width, height), shape: 'text' };
}

/** On the default canvas if any style fits there, else on the smallest that is 2, 4, 8, … times as wide and high. */
function bestDrawing(graph: ExpectedGraph): Canvas {
  for (let scale = 1; ; scale *= 2) {
    const { canvasWidth, canvasHeight } = defaultRules;
    const rules = { ...defaultRules, canvasWidth: scale * canvasWidth, canvasHeight: scale * canvasHeight };
    const drawing = bestOn(rules, graph);
    if (drawing !== null) return drawing;
  }
}

function bestOn(rules: Rules, graph: ExpectedGraph): Canvas | null {
  let best: Canvas | null = null;
  let fewest = Infinity;
  for (const style of plainStyles({ graph, rules })) {
    const drawing = drawGraph(graph, rules, style);
    const problems = drawing === null ? Infinity : misplacements(drawing);
    if (problems < fewest) [best, fewest] = [drawing, problems];
    if (fewest === 0) break;
  }
  return best;
}

/** How many lints placement could mend; that a decision lacks exits is the graph's own fault. */
function misplacements(drawing: Canvas): number {
  return lint(drawing).filter(({ code }) => code !== 'W_DECISION_EXITS').length;
}
