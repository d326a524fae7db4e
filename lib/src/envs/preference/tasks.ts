/** Requests: one to three topics, in any order. */
import { hashText } from '../../tensor/random.js';
import type { Task } from '../types.js';
import { topics as allTopics, type Topic } from './language.js';

export interface PreferenceTask extends Task {
  readonly split: 'train' | 'test';
  /** What is asked for, in order; different from each other. */
  readonly topics: readonly Topic[];
}

/** All 85 requests. About a quarter of them is held out, by a hash of the request, so that the split never moves. */
export function preferenceTasks(split: PreferenceTask['split']): PreferenceTask[] {
  const ones = allTopics.map((topic) => [topic]);
  const twos = ones.flatMap(oneMore);
  const threes = twos.flatMap(oneMore);
  return [...ones, ...twos, ...threes].map(taskOf).filter((task) => task.split === split);
}

function oneMore(asked: readonly Topic[]): Topic[][] {
  return allTopics.filter((topic) => !asked.includes(topic)).map((topic) => [...asked, topic]);
}

function taskOf(asked: readonly Topic[]): PreferenceTask {
  const id = asked.join('-');
  return { id, split: hashText(id) % 4 === 0 ? 'test' : 'train', topics: asked };
}
