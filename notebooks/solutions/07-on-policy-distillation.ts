const advantagesOf: Advantages = (student, teacher, mask) => {
  const advantages = new Float32Array(mask.length);
  mask.forEach((own, t) => {
    if (own === 1) advantages[t] = teacher[t]! - student[t]!;
  });
  return advantages;
};

await exercise({
  id: 'reverse-kl-advantages',
  hint: 'a difference of two log-probabilities where the mask is 1; mind which one is subtracted',
  cases: () => {
    const [first, second] = advantagesOf(logs([0.5, 0.5]), logs([0.75, 0.25]), Uint8Array.of(1, 0));
    check('a token the teacher finds likelier is worth log 1.5', Math.abs(first! - Math.log(1.5)) < 1e-6);
    check('a masked token is worth nothing', second === 0);
    const [logits, q] = [
      [0.3, -1, 0.8, 0.1],
      [0.1, 0.2, 0.3, 0.4],
    ];
    const exact = downhill(logits, q);
    check(
      'on average: down the reverse KL',
      push(advantagesOf, logits, q).every((slope, i) => Math.abs(slope - exact[i]!) < 1e-5),
    );
  },
});
