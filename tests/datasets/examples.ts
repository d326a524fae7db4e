/** Small datasets of every type and form, which check_trl.py trains on too. */
import type { DatasetExamples, DatasetType } from 'posttrain/datasets';
import type { ChatMessage } from 'posttrain/text';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });
const system: ChatMessage = { role: 'system', content: 'You draw diagrams.' };

type Examples = { readonly [Type in DatasetType]: readonly DatasetExamples[Type][] };

export const standard: Examples = {
  'language-modeling': [{ text: 'The quick brown fox.' }, { text: '数据库 "quoted"\nnext line' }],
  'prompt-only': [
    { prompt: 'Draw a box.', answer: 'box' },
    { prompt: 'Draw two.', answer: 'boxes' },
  ],
  'prompt-completion': [
    { prompt: 'Draw a box.', completion: ' Done.' },
    { prompt: '画一个数据库', completion: '好的' },
  ],
  preference: [
    { prompt: 'Draw a box.', chosen: ' Done.', rejected: ' No.' },
    { prompt: 'Two?', chosen: ' Two boxes.', rejected: ' One box.' },
  ],
  'unpaired-preference': [
    { prompt: 'Draw a box.', completion: ' Done.', label: true },
    { prompt: 'Draw a box.', completion: ' No.', label: false },
  ],
};

export const conversational: Examples = {
  'language-modeling': [
    { messages: [system, user('Hi 🎉'), assistant('Hello.'), user('Draw.'), assistant('It is drawn.')] },
    { messages: [user('A box?'), assistant('A box.')] },
  ],
  'prompt-only': [
    { prompt: [user('Draw a box.')], answer: 'box' },
    { prompt: [system, user('Two.')], answer: 'two' },
  ],
  'prompt-completion': [
    { prompt: [user('Draw a box.')], completion: [assistant('Done.')] },
    { prompt: [system, user('Hi'), assistant('Hello.'), user('画')], completion: [assistant('好的')] },
  ],
  preference: [
    { prompt: [user('Draw a box.')], chosen: [assistant('Done.')], rejected: [assistant('No.')] },
    { prompt: [system, user('Two?')], chosen: [assistant('Two.')], rejected: [assistant('One.')] },
  ],
  'unpaired-preference': [
    { prompt: [user('Draw a box.')], completion: [assistant('Done.')], label: true },
    { prompt: [user('Draw a box.')], completion: [assistant('No.')], label: false },
  ],
};

export const datasetTypes = Object.keys(standard) as DatasetType[];
