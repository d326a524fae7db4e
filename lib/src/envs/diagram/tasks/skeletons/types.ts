import type { RandomStream } from '../../../../tensor/random.js';
import type { ShapeKind } from '../../types.js';
import type { Role } from '../scene.js';

/** What an arrow's label is drawn from. */
export type LabelSource = 'relation' | 'event' | 'yes' | 'no' | 'choice' | 'failure' | 'again';

export interface SkeletonEdge {
  readonly from: number;
  readonly to: number;
  readonly label?: LabelSource;
}

/** A graph without words. */
export interface Skeleton {
  readonly topology: string;
  readonly nodes: readonly { readonly role: Role; readonly shape?: ShapeKind }[];
  readonly edges: readonly SkeletonEdge[];
  readonly groups?: readonly { readonly members: readonly number[]; readonly inner: readonly number[] }[];
  readonly undirected?: boolean;
  readonly overlaps?: readonly (readonly [number, number])[];
}

/** Draws a graph with exactly `size` nodes. */
export type SkeletonMaker = (size: number, random: RandomStream) => Skeleton;

export interface Topology {
  readonly make: SkeletonMaker;
  /** Smallest and largest number of nodes it can have. */
  readonly sizes: readonly [number, number];
}

export function nodesOf(role: Role, count: number, shape?: ShapeKind): { role: Role; shape?: ShapeKind }[] {
  return Array.from({ length: count }, () => (shape ? { role, shape } : { role }));
}

/** Arrows along `nodes`, each to the next. */
export function along(nodes: readonly number[]): SkeletonEdge[] {
  return nodes.slice(1).map((to, i) => ({ from: nodes[i]!, to }));
}

/** `from`, `from + 1`, … below `to`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}
