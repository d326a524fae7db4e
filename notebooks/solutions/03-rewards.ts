// Multiplied, nothing is paid without the structure; half of it does not ask for layout, so that a beginner has something to climb.
const mended: Formula = {
  product: ['parse', 'valid', 'structure', { sum: [0.5, { product: [0.5, 'layout'] }] }],
};

await exercise({
  id: 'mend-the-reward',
  hint: 'What is added is paid to everybody. Multiply by what must be right: `structure`, and `valid`. Keep a part that does not depend on `layout`.',
  cases: () => checkMended(mended),
});
