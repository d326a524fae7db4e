/** What is left of the request when all labels are taken out of it, the longest first. */
function unnamed(request: string, labels: readonly string[]): string {
  const longestFirst = [...labels].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, label) => rest.replaceAll(label, ' '), request);
}

/** Whether to learn from this reply, judging by the request alone. */
function keep(request: string, reply: string): boolean {
  const parsed = parseActions(reply);
  if (!parsed.ok) return false;
  const { canvas, log } = applyActions(emptyCanvas(), parsed.actions);
  if (log.errors.length > 0 || lint(canvas).length > 0) return false;
  type Box = (typeof canvas.shapes)[number];
  const isAhead = (a: Box, b: Box): boolean => b.x >= a.x + a.width || b.y >= a.y + a.height;
  const box = (id: string): Box => canvas.shapes.find((shape) => shape.id === id)!;
  const labels = canvas.shapes.map(({ text }) => text);
  const rest = unnamed(request.replace(/\bNo .*$/, ''), labels);
  return (
    labels.every((label) => request.includes(label)) &&
    // a capital letter that begins no sentence begins a name
    !/(?<!^|[.!?:]\s*)\b\p{Lu}/u.test(rest) &&
    canvas.shapes.every(({ id }) => canvas.edges.some(({ from, to }) => from === id || to === id)) &&
    canvas.edges.length >= canvas.shapes.length - 1 &&
    canvas.edges.every(({ from, to }) => isAhead(box(from), box(to)))
  );
}

await exercise({
  id: 'keep-the-good-ones',
  hint: 'One rule for each kind of mistake that the fallible teacher makes. Begin with: is every label a piece of the request, letter for letter? Then take all labels out of the request and look at what is left; the arrows come last.',
  cases: () => examine(keep),
});
