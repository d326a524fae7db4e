/**
 * DAPO's soft overlong punishment: 0 up to `maxCompletionLength − softPunishCache` tokens, then falling linearly to −1 at
 * `maxCompletionLength`. Added to a reward it warns a policy before its replies are cut, where a cut alone would punish good
 * reasoning for its last token. TRL: `get_soft_overlong_punishment`.
 *
 * @param length tokens of the reply
 * @param softPunishCache tokens over which the punishment grows; DAPO: a fifth of `maxCompletionLength`
 *
 * Source: arXiv 2503.14476, eq. 13.
 */
export function softOverlongPunishment(
  length: number,
  maxCompletionLength: number,
  softPunishCache: number,
): number {
  const unpunished = maxCompletionLength - softPunishCache;
  return length <= unpunished ? 0 : Math.max(-1, (unpunished - length) / softPunishCache);
}
