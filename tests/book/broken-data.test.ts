import { broken, FIRST, SECOND, QUIZ, inFirst, inSecond } from './broken.js';

broken([
  // citations and terms
  [
    'a citation of nothing',
    inFirst('[@nobody2000]'),
    FIRST,
    '[@nobody2000], $5 \\cdot x$ a',
    'there is no reference "nobody2000"',
  ],
  [
    'a reference that nobody cites',
    {
      'chapters/references/00.yaml': [
        [
          'ada1843: {',
          "zed2000: { authors: Z, year: 2000, title: Z, venue: Z, url: 'https://example.org/z' }\nada1843: {",
        ],
      ],
    },
    'chapters/references/00.yaml',
    'zed2000: { authors: Z, year:',
    'nothing cites "zed2000"',
  ],
  [
    'a reference without its year',
    { 'chapters/references/00.yaml': [[' year: 1843,', '']] },
    'chapters/references/00.yaml',
    'ada1843: { authors: Lovelace',
    'ada1843.year: ',
  ],
  [
    'a reference without its address',
    { 'chapters/references/00.yaml': [['  url: https://example.org/bell\n', '']] },
    'chapters/references/00.yaml',
    'bell1957:',
    'bell1957.url: ',
  ],
  [
    'a reference that is there twice',
    {
      'chapters/references/01.yaml':
        "ada1843: { authors: A, year: 1843, title: B, venue: C, url: 'https://example.org/a' }",
    },
    'chapters/references/01.yaml',
    'ada1843: { authors: A, year:',
    'reference "ada1843" is in chapters/references/00.yaml:1 already',
  ],
  [
    'a citation that is misspelt',
    inFirst('[@ada 1843]'),
    FIRST,
    '[@ada 1843], $5 \\cdot x$ and',
    '"[@ada 1843], " is no citation',
  ],
  [
    'a term that nobody explains',
    inFirst('[[regret]]'),
    FIRST,
    '[[regret]], $5 \\cdot x$ and ',
    'there is no term "regret"',
  ],
  [
    'a term that is explained twice',
    { 'chapters/glossary/01.yaml': '- { term: Advantages, zh: 优, definition: Good., chapter: second }' },
    'chapters/glossary/01.yaml',
    '- { term: Advantages, zh: 优,',
    'term "advantages" is in chapters/glossary/00.yaml:1 already',
  ],
  [
    'a term of no chapter',
    { 'chapters/glossary/00.yaml': [['chapter: first', 'chapter: third']] },
    'chapters/glossary/00.yaml',
    '- term: advantage',
    'term "advantage": there is no chapter "third"',
  ],
  [
    'a term without its Chinese name',
    { 'chapters/glossary/00.yaml': [['zh: 基线, ', '']] },
    'chapters/glossary/00.yaml',
    '- { term: baseline, definiti',
    '1.zh: ',
  ],
  // parts from data
  ['facts that are no YAML', inSecond('Cost: little', 'Cost: a: b'), SECOND, 'Cost: a: b', 'YAML: '],
  [
    'a quiz that is not there',
    { [FIRST]: [['## A', '```quiz\n```\n\n## A']] },
    FIRST,
    '```quiz',
    'there is no chapters/quizzes/00.yaml for this quiz',
  ],
  [
    'a question that is not there',
    inSecond('- sum', '- difference'),
    SECOND,
    '```quiz',
    `there is no question "difference" in ${QUIZ}`,
  ],
  [
    'a question that is not asked',
    inSecond('```quiz\n```\n', ''),
    QUIZ,
    '- id: two',
    'no quiz fence of the chapter shows the question "two"',
  ],
  [
    'two right answers',
    { [QUIZ]: [['text: two, why', 'text: two, correct: true, why']] },
    QUIZ,
    '  options:',
    '0.options: expected exactly one with correct: true',
  ],
  [
    'too few options',
    { [QUIZ]: [['    - { text: two, why: no }\n', '']] },
    QUIZ,
    '  options:',
    '0.options: expected 3 or 4 options',
  ],
  [
    'an option without a reason',
    { [QUIZ]: [['text: two, why: no', 'text: two']] },
    QUIZ,
    '    - { text: two }',
    '0.options.1.why: ',
  ],
  [
    'exercises of one level',
    { 'chapters/exercises/01.yaml': 'level: 1\n' },
    'chapters/exercises/01.yaml',
    'level: 1',
    '',
  ],
  [
    'a program without its check',
    { 'chapters/exercises/01.yaml': [["  check: |\n    console.log(a === 2 ? 'ok' : 'no');\n", '']] },
    'chapters/exercises/01.yaml',
    '- id: code',
    '5.check: ',
  ],
  [
    'exercises that no chapter has',
    inSecond('```exercises\n```\n', ''),
    'chapters/exercises/01.yaml',
    '- id: e0',
    'no exercises fence of the chapter shows these',
  ],
  [
    'a demo that is not there',
    inSecond('```demo slider', '```demo wheel'),
    SECOND,
    '```demo wheel',
    'there is no demo "wheel"',
  ],
  // files
  ['a file that is no chapter', { 'chapters/notes.txt': '' }, 'chapters/notes.txt', '', 'this is no chapter'],
  [
    'a quiz of no chapter',
    { 'chapters/quizzes/07.yaml': '[]' },
    'chapters/quizzes/07.yaml',
    '[]',
    'no chapter has this number',
  ],
  [
    'a chapter number that is there twice',
    {
      'chapters/01-third.md':
        '---\nid: third\ntitle: T\nsummary: S\nlang: en\nlevel: 1\nminutes: 1\nupdated: 2026-11-30\n---\n',
    },
    'chapters/01-third.md',
    '---',
    'chapters/01-second.md has the number 01 too',
  ],
]);
