// Multiplied, nothing is paid without the structure; half of it does not ask for layout, so that a beginner has something to climb.
const mended: Formula = {
  product: ['parse', 'valid', 'structure', { sum: [0.5, { product: [0.5, 'layout'] }] }],
};

await exercise({
  id: 'mend-the-reward',
  hint: 'What is added is paid to everybody, what is multiplied only together with the rest. Sort the terms: without which of them is a drawing worth nothing, and which only make a right one better?',
  cases: () => checkMended(mended),
});
