/** `figures/NAME.yaml`: a drawing of recorded results. */
import { z } from 'zod';
import type { Figure, Point } from '../display/index.js';
import { numberAt, valueAt } from '../notebook/result-path.js';
import type { Place } from './problems.js';
import type { Workshop } from './workshop.js';
import { readYaml, type YamlData } from './yaml-file.js';

const text = z.string().min(1);
const common = {
  title: text,
  xLabel: text,
  /** Of the paths that begin with no `NAME:` of their own. */
  results: z.string().optional(),
};
const schema = z.discriminatedUnion('type', [
  z
    .strictObject({
      ...common,
      type: z.literal('lines'),
      yLabel: text,
      xScale: z.enum(['linear', 'log']).optional(),
      yRange: z.tuple([z.number(), z.number()]).optional(),
      series: z
        .array(z.strictObject({ name: text, points: text }))
        .min(1)
        .optional(),
      /** In place of `series`: one of each name at this path. */
      each: text.optional(),
    })
    .refine(
      ({ series, each }) => (series === undefined) !== (each === undefined),
      'expected series, or each',
    ),
  z.strictObject({
    ...common,
    type: z.literal('dots'),
    yLabel: text.optional(),
    dots: z.array(z.strictObject({ name: text, value: text })).min(1),
  }),
]);
type FigureFile = z.infer<typeof schema>;

const pointSchema: z.ZodType<Point[]> = z
  .array(
    z.object({
      x: z.number(),
      y: z.number(),
      low: z.number().exactOptional(),
      high: z.number().exactOptional(),
    }),
  )
  .min(1);

/** The figure of a file; `undefined` after problems were told. @param description its alternative text. */
export function readFigure(file: string, description: string, workshop: Workshop): Figure | undefined {
  const { repository, problems } = workshop;
  const read = readYaml(repository.read(file)!, { file, line: 1 }, schema, problems);
  if (read === undefined) return undefined;
  const { title, xLabel } = read.data;
  const common = { title, xLabel, description };
  if (read.data.type === 'dots') {
    const dots = dotsOf(read as YamlData<DotsFile>, workshop);
    return dots && { type: 'dots', ...common, dots };
  }
  const { yLabel, xScale, yRange } = read.data;
  const series = seriesOf(read as YamlData<LinesFile>, workshop);
  return (
    series && {
      type: 'lines',
      ...common,
      yLabel,
      ...(xScale && { xScale }),
      ...(yRange && { yRange }),
      series,
    }
  );
}

type DotsFile = Extract<FigureFile, { readonly type: 'dots' }>;
type LinesFile = Extract<FigureFile, { readonly type: 'lines' }>;
type Dots = Extract<Figure, { readonly type: 'dots' }>['dots'];
type Series = Extract<Figure, { readonly type: 'lines' }>['series'];

function dotsOf({ data, placeOf }: YamlData<DotsFile>, workshop: Workshop): Dots | undefined {
  return all(data.dots, ({ name, value: path }, index) =>
    attempt(placeOf('dots', index, 'value'), workshop, () => {
      const { value, low, high } = numberAt(...recorded(path, data.results, workshop));
      return { name, value, ...(low !== undefined && high !== undefined && { low, high }) };
    }),
  );
}

function seriesOf({ data, placeOf }: YamlData<LinesFile>, workshop: Workshop): Series | undefined {
  const { series, each, results } = data;
  if (each !== undefined)
    return attempt(placeOf('each'), workshop, () =>
      Object.entries(valueAt(...recorded(each, results, workshop)) as Record<string, unknown>).map(
        ([name, points]) => ({ name, points: pointsIn(points, `${each}[${name}]`) }),
      ),
    );
  return all(series!, ({ name, points }, index) =>
    attempt(placeOf('series', index, 'points'), workshop, () => ({
      name,
      points: pointsIn(valueAt(...recorded(points, results, workshop)), points),
    })),
  );
}

function pointsIn(value: unknown, path: string): readonly Point[] {
  const { data, error } = pointSchema.safeParse(value);
  if (data === undefined)
    throw new Error(`"${path}" is no list of { x, y, low?, high? }: ${error.issues[0]!.message}`);
  return data;
}

/** Recorded results and the path in them: `NAME:path`, or a path in the file's own. */
function recorded(path: string, results: string | undefined, { findResults }: Workshop): [unknown, string] {
  const [, name = results, rest = path] = /^([\w-]+):(.*)$/.exec(path) ?? [];
  if (name === undefined)
    throw new Error(`"${path}" says not in which results; expected NAME:path, or results: NAME`);
  const found = findResults(name);
  if (found === undefined) throw new Error(`there is no data/results/${name}.json`);
  return [found, rest];
}

function attempt<T>(place: Place, { problems }: Workshop, make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    problems.add(place, (error as Error).message);
    return undefined;
  }
}

/** All results, or nothing where one is missing; every item is tried. */
function all<T, R>(
  items: readonly T[],
  make: (item: T, index: number) => R | undefined,
): readonly R[] | undefined {
  const made = items.map(make);
  return made.includes(undefined) ? undefined : (made as readonly R[]);
}
