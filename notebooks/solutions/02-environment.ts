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
  hint: 'take the width of each box from its label, rounded up to the grid, put the next box at least task.rules.minGap further, and add an arrow for each of task.graph.edges',
  cases: () => testRow(row),
});
