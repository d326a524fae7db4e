/** The graph of a task before it has words around it: nodes are numbered, labels are known. */
import type { Direction, ShapeKind } from '../types.js';

export type Language = 'en' | 'zh';

/** What a node stands for; decides which words may label it. A `choice` is a decision with three exits. */
export type Role = 'thing' | 'step' | 'state' | 'decision' | 'choice' | 'start' | 'end';

export interface SceneNode {
  readonly role: Role;
  readonly label: string;
  /** Set when the request (or the rules, for a decision) asks for it. */
  readonly shape?: ShapeKind;
}

export interface SceneEdge {
  readonly from: number;
  readonly to: number;
  readonly label?: string;
}

export interface SceneGroup {
  readonly label: string;
  /** Nodes directly inside. */
  readonly members: readonly number[];
  /** Groups directly inside, by number; only ever groups listed later. */
  readonly inner: readonly number[];
}

export interface Scene {
  readonly family: string;
  readonly topology: string;
  readonly lang: Language;
  readonly domain: string;
  readonly nodes: readonly SceneNode[];
  readonly edges: readonly SceneEdge[];
  readonly groups: readonly SceneGroup[];
  readonly direction?: Direction;
  readonly undirected?: boolean;
  readonly overlaps?: readonly (readonly [number, number])[];
}

/** A request that speaks of nodes as `{0}` and of groups as `{g0}`, and the edges in the order it tells them. */
export interface Telling {
  readonly template: string;
  readonly messages: readonly string[];
  readonly edges: readonly SceneEdge[];
  /** Words that must not turn into shapes. */
  readonly distractor: string;
}

export function isDecision({ role }: { readonly role: Role }): boolean {
  return role === 'decision' || role === 'choice';
}

/** The placeholder of node `index`. */
export function mention(index: number): string {
  return `{${index}}`;
}

/** The placeholder of group `index`. */
export function mentionGroup(index: number): string {
  return `{g${index}}`;
}

/** True when the arrows contain a directed cycle (a self-loop is one). */
export function hasCycle(nodeCount: number, edges: readonly { from: number; to: number }[]): boolean {
  const incoming = new Array<number>(nodeCount).fill(0);
  for (const { to } of edges) incoming[to]!++;
  const ready = incoming.flatMap((count, node) => (count === 0 ? [node] : []));
  let removed = 0;
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    removed++;
    for (const { from, to } of edges) if (from === node && --incoming[to]! === 0) ready.push(to);
  }
  return removed < nodeCount;
}
