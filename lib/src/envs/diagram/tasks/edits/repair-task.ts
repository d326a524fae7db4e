import type { RandomStream } from '../../../../tensor/random.js';
import { defaultRules } from '../../canvas.js';
import type { Canvas, DiagramTask, Shape } from '../../types.js';
import { admitsGraph } from '../admission.js';
import { difficulty, sceneGraph } from '../assemble.js';
import { tellGraph } from '../speech/tell.js';
import { absentWords } from '../vocabulary/index.js';
import type { ChangeDraw } from './edit-task.js';
import { repairFrames } from './phrases.js';
import { boxFor, place, toCanvas } from './placement.js';

type Fault = 'overlap' | 'missing-edge' | 'wrong-label' | 'reversed-edge' | 'long-text' | 'duplicate-node';

/** Training repairs the first three; `ood-edit` has at least one of the others. */
const commonFaults: readonly Fault[] = ['overlap', 'missing-edge', 'wrong-label'];
const heldOutFaults: readonly Fault[] = ['reversed-edge', 'long-text', 'duplicate-node'];

interface Damage {
  readonly canvas: Canvas;
  /** Boxes that the repair has to touch. */
  readonly touched: readonly string[];
}

/** Draws a scene, damages the drawing, and asks for the scene; nothing when the scene cannot be placed simply. */
export function repairTask({ id, split, scene, domain, random }: ChangeDraw): DiagramTask | undefined {
  const whole = sceneGraph(scene);
  if (!admitsGraph(split, whole)) return undefined;
  const shapes = place(scene.nodes, (placed) => [toCanvas(placed, scene.edges)]);
  if (!shapes) return undefined;
  const isHeldOut = split === 'ood-edit';
  const first = random.pick(isHeldOut ? heldOutFaults : commonFaults);
  const others = [...commonFaults, ...(isHeldOut ? heldOutFaults : [])].filter((fault) => fault !== first);
  const faults = random.uniform() < 0.5 ? [first] : [first, random.pick(others)];
  const wrong = random.shuffle(absentWords(domain, scene));
  const damage = faults.reduce<Damage>((sofar, fault) => damaged(sofar, fault, wrong, random), {
    canvas: toCanvas(shapes, scene.edges),
    touched: [],
  });
  const keep = whole.nodes.map((node) => node.id).filter((node) => !damage.touched.includes(node));
  const graph = { ...whole, keep };
  const { text, style } = tellGraph(scene, domain[scene.lang], random);
  const frame = random.int(repairFrames[scene.lang].length);
  return {
    id,
    split,
    kind: 'repair',
    requests: [repairFrames[scene.lang][frame]!.replace('{0}', () => text)],
    graph,
    initial: damage.canvas,
    rules: defaultRules,
    lang: scene.lang,
    family: 'repair',
    meta: {
      ...difficulty(graph),
      profile: 'full',
      rules: 'R0',
      faults: faults.join('+'),
      base: scene.family,
      topology: scene.topology,
      domain: scene.domain,
      template: `${scene.lang}/repair/${style}-${frame}`,
      distractorWords: 0,
    },
  };
}

/** Damages boxes that are still whole, so that two faults never hide each other. */
function damaged(before: Damage, fault: Fault, wrong: readonly string[], random: RandomStream): Damage {
  const { canvas, touched } = before;
  const whole = canvas.shapes.filter(({ id }) => !touched.includes(id));
  const victim = random.pick(whole);
  const edge = random.pick(canvas.edges);
  const relabelled = (text: string): Damage => ({
    canvas: withShape(canvas, { ...victim, text }),
    touched: [...touched, victim.id],
  });
  switch (fault) {
    case 'overlap': {
      const other = random.pick(canvas.shapes.filter((shape) => shape !== victim));
      const x = Math.min(other.x + 40, canvas.width - victim.width);
      const moved = { ...victim, x, y: other.y + 20 };
      return { canvas: withShape(canvas, moved), touched: [...touched, victim.id] };
    }
    case 'missing-edge':
      return { canvas: { ...canvas, edges: canvas.edges.filter((one) => one !== edge) }, touched };
    case 'reversed-edge': {
      const edges = canvas.edges.map((one) => (one === edge ? { ...one, from: one.to, to: one.from } : one));
      return { canvas: { ...canvas, edges }, touched };
    }
    case 'wrong-label':
      return relabelled(wrong[0]!);
    case 'long-text':
      return relabelled([victim.text, ...wrong.slice(1, 5)].join(' / '));
    case 'duplicate-node': {
      const bottom = Math.max(...canvas.shapes.map(({ y, height }) => y + height));
      const copy = {
        ...boxFor(`n${canvas.shapes.length + 1}`, victim.text, victim.shape, [0, 0]),
        y: bottom + 60,
      };
      return { canvas: { ...canvas, shapes: [...canvas.shapes, copy] }, touched };
    }
  }
}

function withShape(canvas: Canvas, changed: Shape): Canvas {
  return { ...canvas, shapes: canvas.shapes.map((shape) => (shape.id === changed.id ? changed : shape)) };
}
