function row(task: DiagramTask): Action[] {
  const { minGap, grid } = task.rules;
  const upToGrid = (pixels: number): number => Math.ceil(pixels / grid) * grid;
  let x = upToGrid(60);
  const boxes = task.graph.nodes.map(({ id, label }) => {
    const width = upToGrid(9.6 * label.length + 20);
    const made = box(id, x, upToGrid(60), label, width);
    x += width + upToGrid(Math.max(minGap, 60));
    return made;
  });
  return [...boxes, ...task.graph.edges.map(({ from, to }) => arrow(from, to))];
}
await exercise({
  id: 'row',
  hint: 'how wide must a box be for its label on one line, and where may the next one begin? Round both up to multiples of task.rules.grid; which arrows are wanted stands in task.graph.edges',
  cases: () => testRow(row),
});
