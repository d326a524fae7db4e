import type { z } from 'zod';
import { actionTypes, drawActionTypes, replySchemaOf, type ActionType } from '../envs/diagram/actions.js';
import { serializeActions } from '../envs/diagram/codec.js';
import { parseActions } from '../envs/diagram/parse.js';
import type { Action, DiagramTask } from '../envs/diagram/types.js';
import type { Task } from '../envs/types.js';

/** How a model that has never seen an environment is told to reply in it. */
export interface ReplyFormat<T extends Task = Task> {
  /** What the model is told about the world and the form of replies, once and for all tasks. */
  readonly systemInstruction: string;
  /** What a reply must match: the schema that the environment itself checks with. */
  schema(task: T): z.ZodType;
  /** How every reply begins, for servers that take no schema. */
  readonly prefix: string;
  /** A valid reply spelled as the student should spell it; anything else as it is. */
  canonical(reply: string): string;
}

const systemInstruction = `You draw diagrams on a canvas. Each message of the user is an observation; you answer with one JSON object of the form {"actions":[...]} and nothing else. The actions run in order.

Actions, with their keys in this order:
{"type":"create","shape":"rectangle"|"ellipse"|"diamond","id":string,"x":int,"y":int,"width":int,"height":int,"text":string}  (text is the label inside; leave the key out for none)
{"type":"create","shape":"text","id":string,"x":int,"y":int,"text":string}
{"type":"connect","from":id,"to":id,"label":string}  (a straight arrow between the centres, cut at the borders; leave label out for none)
{"type":"update","id":id,"text":string}
{"type":"move","id":id,"x":int,"y":int}
{"type":"resize","id":id,"width":int,"height":int}
{"type":"delete","id":id}
{"type":"disconnect","from":id,"to":id,"label":string}
{"type":"finish"}  (you are done)

Coordinates are pixels from the top left corner, y grows downwards, x and y are the top left corner of a shape. Create a shape before you connect it. Ids are n1, n2, n3, ... in the order of creation.

The observation begins with the rules, e.g. "RULES 1600x1200 gap 40 grid 10 decision diamond flow LR": the size of the canvas, the least gap between shapes, the grid that coordinates and sizes lie on, the shape of decisions, and the direction of arrows (LR left to right, TB top to bottom, RL, BT; none when free). Then, if there is something on the canvas, a table of it: "n1 rect 40,40 160x60 Label" for a shape, "n1>n2 label" for an arrow. PROBLEMS lists what is wrong so far. STEPS LEFT says how many replies you still have; where it is absent there is only one. REQUEST is what the user wants.

A good drawing has every box and arrow that is asked for, with the words of the request as labels, and no others. Nothing overlaps or leaves the canvas, labels fit inside their boxes (a Latin letter is 9.6 pixels wide, a Chinese character 16, a line 20 high, with 5 pixels of room on each side; in a diamond only half the width and height can be used), arrows do not run through other boxes, and arrows point along the flow. Members of a group stand inside a larger rectangle whose label is the group's name, created before them. In edits, leave alone what the request does not mention.`;

/** The diagram environment's replies. In a `draw` task only `create` and `connect` make sense, and only they are offered. */
export const diagramReplies: ReplyFormat<DiagramTask> = {
  systemInstruction,
  schema: ({ kind }) => replySchemaOf(allowedTypes(kind)),
  prefix: '{"actions":[',
  canonical(reply) {
    const parsed = parseActions(reply);
    if (!parsed.ok || !parsed.actions.every(isAction)) return reply;
    return serializeActions(parsed.actions);
  },
};

function allowedTypes(kind: DiagramTask['kind']): readonly ActionType[] {
  return kind === 'draw' ? drawActionTypes : actionTypes;
}

export function isAction(item: object): item is Action {
  return !('code' in item);
}
