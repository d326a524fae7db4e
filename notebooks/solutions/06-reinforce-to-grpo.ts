function advantagesOf(groups: Rewards, kind: Kind): number[][] {
  return groups.map((rewards) => {
    const total = rewards.reduce((sum, reward) => sum + reward, 0);
    if (kind === 'leave_one_out')
      return rewards.map((reward) => reward - (total - reward) / (rewards.length - 1));
    const deviation = pt.standardDeviation(rewards);
    return rewards.map((reward) =>
      deviation < 1e-3 ? 0 : (reward - total / rewards.length) / (deviation + 1e-4),
    );
  });
}

await exercise({
  id: 'advantages',
  hint: 'The mean of the others follows from the sum of the group. `pt.standardDeviation` divides by N − 1; look at it before you divide by it.',
  cases: () => examineAdvantages(advantagesOf),
});
