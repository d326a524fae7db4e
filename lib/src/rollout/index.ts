export { rollout, type RolloutOptions } from './rollout.js';
export { Transcript } from './transcript.js';
export type { EpisodeGroup, EpisodeRecord, Trajectory, Turn } from './types.js';
