/** How a change is asked for. A placeholder is the place of a name in `Change.named`. */
import type { Language } from '../scene.js';
import type { EditKind } from './changes.js';

export const editPhrases: Readonly<Record<Language, Readonly<Record<EditKind, readonly string[]>>>> = {
  en: {
    rename: ['rename {0} to {1}', 'change the label {0} to {1}', 'give {0} the new name {1}'],
    add: [
      'add {0} and draw an arrow to it from {1}',
      'add a box {0} that {1} points to',
      'let {1} also point to a new box {0}',
    ],
    insert: ['put a new box {0} between {1} and {2}', 'lead the way from {1} to {2} through a new box {0}'],
    connect: [
      'draw an arrow from {0} to {1}',
      'connect {0} to {1} as well',
      'add the missing arrow from {0} to {1}',
    ],
    rewire: ['let {0} point to {1} instead of {2}', 'end the arrow from {0} at {1} and no longer at {2}'],
    delete: [
      'remove {0} together with its arrows',
      'delete {0} and whatever is attached to it',
      'take {0} out of the picture',
    ],
    bypass: ['take {0} out and let {1} point straight to {2}', 'connect {1} directly to {2} and delete {0}'],
    move: [
      'move {0} between {1} and {2}, and let {3} point to {4}',
      'place {0} between {1} and {2}, so that {3} leads straight to {4}',
    ],
  },
  zh: {
    rename: ['把{0}改名为{1}', '将标签{0}换成{1}', '{0}现在应该叫{1}'],
    add: ['新增{0}，并从{1}画一个箭头指向它', '加一个框{0}，由{1}指向它'],
    insert: ['在{1}和{2}之间插入新框{0}', '{1}到{2}的路上要先经过新框{0}'],
    connect: ['从{0}画一个箭头到{1}', '再把{0}连到{1}', '缺少从{0}到{1}的箭头'],
    rewire: ['让{0}改为指向{1}，不再指向{2}', '{0}的箭头应改到{1}，而不是{2}'],
    delete: ['去掉{0}以及与它相连的箭头', '移除{0}和它的所有连线'],
    bypass: ['去掉{0}，由{1}直接指向{2}', '{0}不要了，{1}直接连到{2}'],
    move: ['把{0}移到{1}和{2}之间，{3}直接指向{4}', '{0}应放在{1}与{2}之间，{3}随后直接连到{4}'],
  },
};

/** What is said around the change; `{0}` is the change. */
export const editFrames: Readonly<Record<Language, readonly string[]>> = {
  en: [
    '{0}. Leave the rest alone.',
    'Please {0}. All other boxes stay in place.',
    '{0}, please. The other parts are fine.',
    'One correction: {0}. Nothing else changes.',
  ],
  zh: [
    '{0}。其余部分不要动。',
    '请修改：{0}。别的框位置不变。',
    '{0}，其他内容保留。',
    '有一处要改：{0}。其余照旧。',
  ],
};

export const repairFrames: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Something is wrong with this picture. It should show: {0}. Repair it.',
    'Please repair the diagram so that it shows exactly this: {0}.',
    'This is what was meant: {0}. Correct whatever differs and keep the boxes that are right.',
    'The drawing got damaged. Bring it back to: {0}.',
  ],
  zh: [
    '这张图有错，应当是：{0}。请修好。',
    '请修复，使图中内容正好是：{0}。',
    '原意如下：{0}。有出入的地方请改正，没错的框不要动。',
    '图被改坏了，请恢复成：{0}。',
  ],
};
