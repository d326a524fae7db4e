/** Chinese requests: the same eight styles, in Chinese words and full-width punctuation. */
import type { Direction } from '../../types.js';
import { chance, enumerate, numeral } from '../phrases.js';
import { mentionGroup } from '../scene.js';
import { edgesOf, type Statement } from '../statements.js';
import { items, sentence } from './chinese.js';
import { inItems, inSentences, type Pronouns, type Said } from './coreference.js';
import { decisions, notation } from './notation.js';
import { name, names, type Parts, type Speech, type Voice } from './voice.js';

const nouns: Readonly<Record<string, readonly string[]>> = {
  pipeline: ['流水线图', '流程示意图', '处理流程图'],
  flowchart: ['流程图', '判断流程图'],
  architecture: ['架构图', '系统图', '组件图'],
  tree: ['树形图', '层级图', '组织结构图'],
  mindmap: ['思维导图', '脑图'],
  state: ['状态图', '状态机图'],
  interaction: ['交互图', '消息图'],
  entity: ['实体关系图', '数据模型图', '关系图'],
  groups: ['分组图', '分区图'],
  basic: ['草图', '简图'],
};

const directions: Readonly<Record<Direction, string>> = {
  LR: '从左到右',
  RL: '从右到左',
  TB: '自上而下',
  BT: '自下而上',
};

/** What a list of nodes counts, where 框 is not the word. */
const units: Readonly<Record<string, string>> = { state: '个状态', basic: '个形状', entity: '个实体' };

/** Chance that a request repeats in words the direction that the rules state. */
const SAYS_DIRECTION = 0.4;

export const chinese: Speech = {
  sentence,
  styles: {
    arrows: (voice, statements) => {
      const arrow = voice.random.pick(['->', '→', '-->']);
      const body = statements.map((statement) => notation(statement, voice, arrow, '，')).join('，');
      return parts([`${opening(voice)}：${body}`], notes(voice, 'notation'));
    },
    sentences: (voice, statements) => {
      const { texts, coreferences } = clauses(voice, statements);
      return parts([opening(voice), ...texts], notes(voice, 'sentences'), coreferences);
    },
    'from-to': (voice, statements) => {
      const { texts, coreferences } = listed(voice, statements);
      const noun = voice.scene.undirected ? '连线' : '箭头';
      const hasEdges = statements.some((statement) => edgesOf(statement).length > 0);
      const told = `${hasEdges ? `${noun}如下：` : ''}${texts.join('，')}`;
      return parts([opening(voice), told], notes(voice, 'notation'), coreferences);
    },
    bullets: (voice, statements) => {
      const isWritten = chance(voice.random, 0.5);
      const { texts, coreferences } = isWritten
        ? clauses(voice, statements)
        : { texts: statements.map((one) => notation(one, voice, '->', '\n- ')), coreferences: 0 };
      const body = texts.map((text) => `\n- ${text}`).join('');
      return parts(
        [`${opening(voice)}：${body}`],
        notes(voice, isWritten ? 'sentences' : 'notation'),
        coreferences,
      );
    },
    terse: (voice, statements) => {
      const arrow = voice.random.pick(['>', '→']);
      const body = statements.map((statement) => notation(statement, voice, arrow, '；')).join('；');
      return parts([`${voice.random.pick(nouns[voice.scene.family]!)}：${body}`], notes(voice, 'notation'));
    },
    listing: (voice, statements) => {
      const all = voice.scene.nodes.map((_, i) => i);
      const unit = units[voice.scene.family] ?? '个框';
      const list = `${opening(voice)}，共${numeral(all.length, 'zh')}${unit}：${names(voice, all).join('、')}`;
      const { texts, coreferences } = listed(
        voice,
        statements.filter((one) => edgesOf(one).length > 0),
      );
      const connect = texts.length > 0 ? [`连线：${texts.join('，')}`] : [];
      const shapes = statements.filter(({ kind }) => kind === 'shape' || kind === 'overlap');
      const said = shapes.map((statement) => sentence(statement, voice).text);
      return parts([list, ...connect, ...said], notes(voice, 'notation'), coreferences);
    },
    question: (voice, statements) => {
      const { texts, coreferences } = clauses(voice, statements);
      const start = voice.random.pick(['能不能画一张', '可以帮我画一张', '能否给出一张']);
      const noun = voice.random.pick(nouns[voice.scene.family]!);
      return parts(
        [`${start}${about(voice)}${noun}，其中${texts.join('，')}？`],
        notes(voice, 'sentences'),
        coreferences,
      );
    },
    narrative: (voice, statements) => {
      const { texts, coreferences } = clauses(voice, statements);
      const told = texts.map((text, i) => connector(i, texts.length, voice) + text);
      const background = voice.random.pick([
        `我在写一份关于${voice.topic}的说明，光靠文字讲不清楚`,
        `昨天有人问${voice.topic}是怎么运转的，手边却没有图`,
        `下周要介绍${voice.topic}，需要一张${voice.random.pick(nouns[voice.scene.family]!)}`,
      ]);
      const close = voice.random.pick(['整体就是这样', '内容就这些', '请整理成一张图']);
      return parts([background, ...told], [...notes(voice, 'sentences'), close], coreferences);
    },
  },
};

function parts(sentences: readonly string[], notes: readonly string[], coreferences = 0): Parts {
  return { sentences, notes, coreferences };
}

function about(voice: Voice): string {
  return chance(voice.random, 0.4) ? `${voice.topic}的` : '';
}

function opening(voice: Voice): string {
  const start = voice.random.pick(['画一个', '请画一张', '画一张', '帮我画个', '做一张', '需要一张']);
  return start + about(voice) + voice.random.pick(nouns[voice.scene.family]!);
}

function connector(index: number, count: number, voice: Voice): string {
  if (index === 0) return voice.random.pick(['首先，', '一开始，']);
  if (index === count - 1) return voice.random.pick(['最后，', '末了，']);
  return voice.random.pick(['接着，', '另外，', '同时，']);
}

const pronouns: Pronouns = { which: '，后者', latter: '后者' };

function clauses(voice: Voice, statements: readonly Statement[]): Said {
  return inSentences(voice, statements, sentence, pronouns);
}

function listed(voice: Voice, statements: readonly Statement[]): Said {
  return inItems(voice, statements, (one, source) => items(one, voice, source).join('，'), '那里');
}

function notes(voice: Voice, told: 'notation' | 'sentences'): string[] {
  const { scene, random } = voice;
  const said: string[] = [];
  if (scene.direction && chance(random, SAYS_DIRECTION))
    said.push(random.pick([`方向${directions[scene.direction]}`, `${directions[scene.direction]}排列`]));
  const questions = told === 'notation' ? decisions(voice) : [];
  if (questions.length > 0) said.push(`${enumerate(questions, 'zh')}是判断`);
  if (scene.family === 'mindmap') said.push(`${name(voice, 0)}在中心，用椭圆`);
  if (scene.family === 'state') said.push(random.pick(['状态都用椭圆', '每个状态画成椭圆']));
  if (scene.undirected) said.push(scene.nodes[0]!.shape === 'ellipse' ? '形状都是椭圆' : '形状都是矩形');
  if (scene.family === 'entity' && told === 'sentences') said.push('动词写在箭头上');
  return [...said, ...groupNotes(voice)];
}

function groupNotes(voice: Voice): string[] {
  return voice.scene.groups.map((group, i) => {
    const inside = [
      ...names(voice, group.members),
      ...group.inner.map((inner) => `“${mentionGroup(inner)}”框`),
    ];
    return voice.random.pick([
      `“${mentionGroup(i)}”框内有${enumerate(inside, 'zh')}`,
      `把${enumerate(inside, 'zh')}圈进“${mentionGroup(i)}”框`,
    ]);
  });
}
