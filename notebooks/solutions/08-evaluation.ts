const myPassAtK: PassAtK = (n, c, k) => {
  let allMiss = 1;
  for (let picked = 0; picked < k; picked += 1) allMiss *= Math.max(0, n - c - picked) / (n - picked);
  return 1 - allMiss;
};

const myPairedBootstrap: PairedBootstrap = (before, after) => {
  const random = randomStream(seed, 'exercise'); // random.int(5) is 0, 1, 2, 3 or 4
  const differences = after.map((score, task) => score - before[task]!);
  const redraw = (): number => mean(differences.map(() => differences[random.int(differences.length)]!));
  const means = Array.from({ length: 4000 }, redraw).sort((a, b) => a - b);
  return { low: means[100]!, high: means[3899]! };
};

await exercise({
  id: 'pass-at-k-and-paired-bootstrap',
  hint: 'that all k picks miss is a product, one factor a pick; resample differences, never the two lists by themselves',
  cases: () => {
    examinePassAtK(myPassAtK);
    examineBootstrap(myPairedBootstrap);
  },
});
