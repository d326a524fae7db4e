/** Words that must not turn into shapes: wishes, audiences, thanks, and things that are not there. */
import type { RandomStream } from '../../../../tensor/random.js';
import type { Language } from '../scene.js';

type Aside = (absent: string) => string;

const plain: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'give it a hand-drawn feel',
    'pastel colours would be nice',
    'keep the style minimal',
    'use a calm and tidy look',
    'it is for my manager',
    'new colleagues should understand it at once',
    'it goes into a slide deck for customers',
    'thank you very much',
    'thanks in advance',
    'there is no hurry',
    'it replaces an older drawing on the wiki',
    'I will make a second diagram about costs later',
    'blue would be lovely',
    'make the important parts green',
    'use soft colours for the arrows',
  ],
  zh: [
    '风格简洁一些',
    '手绘风格即可',
    '配色柔和一点',
    '画面要整齐',
    '这是给领导看的',
    '面向刚入职的同事',
    '要放进给客户的幻灯片',
    '多谢',
    '麻烦了',
    '不着急',
    '用来替换旧图',
    '以后还会另画一张成本图',
    '最好用蓝色',
    '重点部分用绿色',
    '箭头颜色浅一些',
  ],
};

const negations: Readonly<Record<Language, readonly Aside[]>> = {
  en: [
    (absent) => `there is no ${absent} yet`,
    (absent) => `we do not need ${absent}`,
    (absent) => `leave out ${absent}`,
    (absent) => `do not draw ${absent}`,
  ],
  zh: [
    (absent) => `暂时没有${absent}`,
    (absent) => `不需要${absent}`,
    (absent) => `不要画${absent}`,
    (absent) => `先不考虑${absent}`,
  ],
};

/** One or two asides; a third of them deny `absent`, which must be no label of the graph. */
export function asides(lang: Language, absent: string, random: RandomStream): string[] {
  const kinds = random.shuffle([
    random.pick(negations[lang])(absent),
    ...random.shuffle(plain[lang]).slice(0, 2),
  ]);
  return kinds.slice(0, 1 + random.int(2));
}
