/** Words that belong to no domain. */
import { list } from './types.js';

/** Labels of the two exits of a yes/no decision. */
export const exits: {
  readonly en: readonly (readonly [string, string])[];
  readonly zh: readonly (readonly [string, string])[];
} = {
  en: [
    ['yes', 'no'],
    ['yes', 'no'],
    ['true', 'false'],
    ['ok', 'not ok'],
  ],
  zh: [
    ['是', '否'],
    ['是', '否'],
    ['成立', '不成立'],
  ],
};

/** Labels of transitions between states. */
export const events: { readonly en: readonly string[]; readonly zh: readonly string[] } = {
  en: list(
    `start, stop, timeout, approve, reject, cancel, retry, reset, confirm, submit, complete, fail, wake up, expire`,
  ),
  zh: list(`启动、停止、超时、批准、驳回、取消、重试、重置、确认、提交、完成、出错、唤醒、到期`),
};

export const failures: { readonly en: readonly string[]; readonly zh: readonly string[] } = {
  en: ['fails', 'error', 'on failure'],
  zh: ['失败', '出错', '异常'],
};

export const repeats: { readonly en: readonly string[]; readonly zh: readonly string[] } = {
  en: ['again', 'repeat', 'next round'],
  zh: ['再来一次', '重复', '下一轮'],
};

/** A question with three answers. */
export interface Choice {
  readonly question: string;
  readonly answers: readonly [string, string, string];
}

export const choices: { readonly en: readonly Choice[]; readonly zh: readonly Choice[] } = {
  en: [
    { question: 'How urgent?', answers: ['low', 'medium', 'high'] },
    { question: 'Which verdict?', answers: ['accept', 'review', 'refuse'] },
    { question: 'Which size?', answers: ['small', 'normal', 'large'] },
    { question: 'Which priority?', answers: ['first', 'second', 'third'] },
  ],
  zh: [
    { question: '有多紧急？', answers: ['低', '中', '高'] },
    { question: '结论如何？', answers: ['接受', '复核', '拒绝'] },
    { question: '尺寸多大？', answers: ['小号', '中号', '大号'] },
    { question: '优先级？', answers: ['一级', '二级', '三级'] },
  ],
};

export const terminals: {
  readonly en: { start: string; end: string };
  readonly zh: { start: string; end: string };
} = {
  en: { start: 'Start', end: 'End' },
  zh: { start: '开始', end: '结束' },
};

export const groupNames: { readonly en: readonly string[]; readonly zh: readonly string[] } = {
  en: list(
    `Zone A, Zone B, Inner area, Outer area, North site, South site, Team blue, Team green, Core, Edge, Section 1, Section 2`,
  ),
  zh: list(`A 区、B 区、内部区域、外部区域、北区、南区、蓝队、绿队、核心、边缘、第 1 组、第 2 组`),
};

/** What a domain is called in a sentence. */
export const topics: Readonly<Record<string, { readonly en: string; readonly zh: string }>> = {
  'web-service': { en: 'our web service', zh: '网站服务' },
  'data-platform': { en: 'the data platform', zh: '数据平台' },
  'ml-training': { en: 'model training', zh: '模型训练' },
  'ci-cd': { en: 'our release process', zh: '发布流程' },
  shop: { en: 'a small shop', zh: '小商店' },
  warehouse: { en: 'the warehouse', zh: '仓储' },
  school: { en: 'our school', zh: '学校' },
  library: { en: 'the town library', zh: '市图书馆' },
  'home-automation': { en: 'a smart home', zh: '智能家居' },
  hospital: { en: 'the hospital', zh: '医院' },
  factory: { en: 'the factory', zh: '工厂' },
  travel: { en: 'a long trip', zh: '长途旅行' },
};
