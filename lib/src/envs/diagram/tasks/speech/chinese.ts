/** Chinese clauses: how a statement becomes a sentence, by family. */
import { enumerate } from '../phrases.js';
import type { SceneEdge } from '../scene.js';
import { edgesOf, type Statement } from '../statements.js';
import { name, names, quoted, type Clause, type Voice } from './voice.js';

const flowVerbs = ['指向', '连到', '通向'];
const linkVerbs = ['连接', '指向', '连到'];
const treeVerbs = ['下设', '包含', '的下级是'];
const mapVerbs = ['延伸出', '分出'];

const shapeNames: Readonly<Record<string, string>> = { rectangle: '矩形', ellipse: '椭圆', diamond: '菱形' };

function verbsOf(family: string): readonly string[] {
  if (family === 'tree') return treeVerbs;
  if (family === 'mindmap') return mapVerbs;
  return family === 'architecture' || family === 'groups' ? linkVerbs : flowVerbs;
}

export function sentence(statement: Statement, voice: Voice): Clause {
  const { random, scene } = voice;
  const verb = random.pick(verbsOf(scene.family));
  switch (statement.kind) {
    case 'edge':
      return edge(statement.edge, verb, voice);
    case 'path':
      return path(statement.nodes, verb, voice);
    case 'fan':
      return told(voice, statement.from, verb + enumerate(names(voice, statement.to), 'zh'));
    case 'gather': {
      const sources = enumerate(names(voice, statement.from), 'zh');
      return { text: `${sources}都${verb}${name(voice, statement.to)}`, object: statement.to };
    }
    case 'exits':
      return { text: exitsOf(statement.decision, statement.exits, voice) };
    case 'shape':
      return { text: `${name(voice, statement.node)}是${shapeNames[statement.shape]}` };
    case 'overlap':
      return { text: `${enumerate(names(voice, statement.pair), 'zh')}相互重叠` };
  }
}

/** `从甲到乙`, for requests that list the arrows; `source` may stand for the name of 甲. */
export function items(statement: Statement, voice: Voice, source?: string): string[] {
  if (statement.kind === 'shape' || statement.kind === 'overlap') return [sentence(statement, voice).text];
  return edgesOf(statement).map((edge) => pair(edge, voice, source));
}

/** `从甲到乙`, with the label in brackets. */
function pair({ from, to, label }: SceneEdge, voice: Voice, source?: string): string {
  if (voice.scene.undirected) return `${name(voice, from)}与${name(voice, to)}`;
  return `从${source ?? name(voice, from)}到${name(voice, to)}${label === undefined ? '' : `（标注${quoted(label, 'zh')}）`}`;
}

function told(voice: Voice, subject: number, predicate: string, object?: number): Clause {
  return {
    text: name(voice, subject) + predicate,
    subject,
    predicate,
    ...(object !== undefined && { object }),
  };
}

function edge({ from, to, label }: SceneEdge, verb: string, voice: Voice): Clause {
  const { random, scene, words } = voice;
  const [source, target] = [name(voice, from), name(voice, to)];
  if (scene.undirected) return { text: `${source}与${target}用线相连`, object: to };
  if (label !== undefined) return labelled(from, to, label, verb, voice);
  if (scene.family === 'architecture' && random.uniform() < 0.7)
    return told(voice, from, random.pick(words.verbs) + target, to);
  if (scene.family === 'pipeline' || scene.family === 'flowchart')
    return random.pick<Clause>([
      told(voice, from, verb + target, to),
      told(voice, from, `之后是${target}`, to),
      { text: `从${source}到${target}`, object: to },
    ]);
  return told(voice, from, verb + target, to);
}

function labelled(from: number, to: number, label: string, verb: string, voice: Voice): Clause {
  const words = quoted(label, 'zh');
  const [source, target] = [name(voice, from), from === to ? '自身' : name(voice, to)];
  switch (voice.scene.family) {
    case 'state':
      return voice.random.pick<Clause>([
        told(voice, from, `遇到${words}后转到${target}`),
        { text: `${words}使${source}${from === to ? '回到' : '变为'}${target}` },
        told(voice, from, `经${words}进入${target}`),
      ]);
    case 'interaction':
      return told(voice, from, `向${target}发出${words}`);
    case 'entity':
      // The note of the style says that these verbs are written on the arrows.
      return told(voice, from, label + target, to);
    default:
      return told(voice, from, `${verb}${target}，箭头上写${words}`);
  }
}

function path(nodes: readonly number[], verb: string, voice: Voice): Clause {
  const targets = names(voice, nodes);
  if (voice.scene.undirected) return { text: `${targets.join('、')}依次用线相连`, object: nodes.at(-1)! };
  const flows = voice.scene.family === 'pipeline' || voice.scene.family === 'flowchart';
  if (flows)
    return voice.random.pick<Clause>([
      {
        text: `先${targets[0]}，${targets
          .slice(1)
          .map((target) => `再${target}`)
          .join('，')}`,
        object: nodes.at(-1)!,
      },
      { text: `${targets.join('、')}依次相连`, object: nodes.at(-1)! },
    ]);
  const links = nodes.slice(1).map((to, i) => `${name(voice, nodes[i]!)}${verb}${name(voice, to)}`);
  return { text: links.join('，'), object: nodes.at(-1)! };
}

function exitsOf(decision: number, exits: readonly SceneEdge[], voice: Voice): string {
  const question = name(voice, decision);
  const each = (say: (label: string, target: string) => string): string =>
    exits.map(({ label, to }) => say(label!, name(voice, to))).join('，');
  return voice.random.pick([
    `判断${question}：${each((label, target) => `${label}则到${target}`)}`,
    `在判断${question}处，${each((label, target) => `${quoted(label, 'zh')}走向${target}`)}`,
    `${question}是一个判断，${each((label, target) => `结果为${label}时进入${target}`)}`,
  ]);
}
