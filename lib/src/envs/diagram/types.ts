/** All nouns of the diagram world in one file; read it first. */
import type { Task } from '../types.js';

export type ShapeKind = 'rectangle' | 'ellipse' | 'diamond' | 'text';

/** A shape on the canvas. Pixels, origin top-left, y down, integers; box = `[x, x+width) × [y, y+height)`. */
export interface Shape {
  readonly id: string;
  readonly shape: ShapeKind;
  readonly x: number;
  readonly y: number;
  /** For `text` shapes the width and height are derived from the text metrics. */
  readonly width: number;
  readonly height: number;
  /** `''` when the shape has no label of its own. */
  readonly text: string;
}

/** A straight arrow between two shapes; its geometry is derived from the shapes, never stored. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** `''` when unlabelled. */
  readonly label: string;
}

/** The state of the world: immutable, shapes and edges in creation order. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
  readonly edges: readonly Edge[];
}

export type Action =
  | {
      readonly type: 'create';
      readonly shape: 'rectangle' | 'ellipse' | 'diamond';
      readonly id: string;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly text?: string;
    }
  | {
      readonly type: 'create';
      readonly shape: 'text';
      readonly id: string;
      readonly x: number;
      readonly y: number;
      readonly text: string;
    }
  | { readonly type: 'connect'; readonly from: string; readonly to: string; readonly label?: string }
  | { readonly type: 'update'; readonly id: string; readonly text: string }
  | { readonly type: 'move'; readonly id: string; readonly x: number; readonly y: number }
  | { readonly type: 'resize'; readonly id: string; readonly width: number; readonly height: number }
  | { readonly type: 'delete'; readonly id: string }
  | { readonly type: 'disconnect'; readonly from: string; readonly to: string; readonly label?: string }
  | { readonly type: 'finish' };

/** The reply could not be read as `{"actions":[…]}`: nothing ran. */
export type ParseErrorCode = 'E_PARSE' | 'E_TOO_LONG' | 'E_DEPTH' | 'E_ROOT' | 'E_DUP_KEY';

/** One action was refused and skipped; later actions still ran. */
export type ActionErrorCode =
  | 'E_TYPE'
  | 'E_KEY'
  | 'E_ID'
  | 'E_DUP_ID'
  | 'E_SHAPE'
  | 'E_NUM'
  | 'E_SIZE'
  | 'E_RANGE'
  | 'E_TEXT'
  | 'E_DANGLING'
  | 'E_ENDPOINT'
  | 'E_DUP_EDGE'
  | 'E_MISSING'
  | 'E_NOOP'
  | 'E_TOO_MANY';

/** Not an error, but a reader would frown. */
export type LintCode =
  | 'W_OVERLAP'
  | 'W_TEXT_FIT'
  | 'W_THROUGH'
  | 'W_CROSS'
  | 'W_CLOSE'
  | 'W_EDGE_LABEL'
  | 'W_FAR'
  | 'W_DECISION_EXITS';

export interface Problem {
  readonly code: ParseErrorCode | ActionErrorCode | LintCode;
  /** What it is about: shape ids, or edges as `from>to`. */
  readonly subjects: readonly string[];
  /** Position in the reply's action list; absent for parse errors and lints. */
  readonly actionIndex?: number;
}

/** An action that was refused. */
export interface ActionProblem extends Problem {
  readonly code: ActionErrorCode;
}

/** What happened to the replies so far in an episode. */
export interface ActionLog {
  /** All replies passed the parse level. */
  readonly parsed: boolean;
  /** Actions seen, over all replies. */
  readonly actions: number;
  /** Actions that ran. */
  readonly valid: number;
  readonly errors: readonly Problem[];
}

export type Direction = 'LR' | 'RL' | 'TB' | 'BT';

export interface WantedNode {
  readonly id: string;
  readonly label: string;
  /** Requested shape; absent when the request leaves it open. */
  readonly shape?: ShapeKind;
}

export interface WantedEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
}

export interface WantedGroup {
  readonly id: string;
  readonly label: string;
  /** Ids of nodes, or of other groups. */
  readonly members: readonly string[];
}

/** The graph the request asks for. */
export interface ExpectedGraph {
  readonly nodes: readonly WantedNode[];
  readonly edges: readonly WantedEdge[];
  readonly groups: readonly WantedGroup[];
  readonly direction?: Direction;
  /** Edges may be drawn either way round. */
  readonly undirected?: boolean;
  /** Pairs of node ids that must overlap (Venn). */
  readonly overlaps?: readonly (readonly [string, string])[];
  /** Ids of shapes of the initial canvas whose position must not change. */
  readonly keep?: readonly string[];
}

/** Rules stated in the observation; a policy that reads them can follow a changed value. */
export interface Rules {
  readonly canvasWidth: number;
  readonly canvasHeight: number;
  /** Smallest gap between boxes, pixels. */
  readonly minGap: number;
  /** Grid that coordinates should lie on, pixels. */
  readonly grid: number;
  /** Shape that stands for a decision. */
  readonly decisionShape: 'diamond' | 'ellipse';
}

export type EpisodeKind = 'draw' | 'draw-review' | 'edit' | 'repair' | 'build-up';

export interface DiagramTask extends Task {
  readonly kind: EpisodeKind;
  /** The user's messages; one for every kind but `build-up`. */
  readonly requests: readonly string[];
  readonly graph: ExpectedGraph;
  /** Starting canvas of `edit` and `repair`. */
  readonly initial?: Canvas;
  readonly rules: Rules;
  readonly lang: 'en' | 'zh';
  readonly family: string;
  /** Difficulty and provenance: |V|, |E|, template id, vocabulary ids, … */
  readonly meta: Readonly<Record<string, string | number | boolean>>;
}

/** One term of a score, with what it was computed from. */
export interface TermValue {
  /** In [0, 1]. */
  readonly value: number;
  /** Human-readable findings, e.g. `missing edge API>Database`. */
  readonly evidence: readonly string[];
}

export interface Score {
  readonly reward: number;
  /** Strict and separate from the reward; the number to report. */
  readonly success: boolean;
  readonly terms: Readonly<Record<string, TermValue>>;
}

/** Judges a canvas. Given to the environment, so that `envs` never imports `rewards`. */
export type Scorer = (task: DiagramTask, canvas: Canvas, log: ActionLog) => Score;
