/** Numbers as bars: at most so many, each the largest of those it stands for, 0 to 1 by the root of
 * its share of the largest of all. */
export function toBars(values: readonly number[], most = 64): readonly number[] {
  const perBar = Math.max(1, Math.ceil(values.length / most))
  const bars: number[] = []
  for (let first = 0; first < values.length; first += perBar) {
    bars.push(values.slice(first, first + perBar).reduce((a, b) => Math.max(a, b), 0))
  }
  // The root lets small ones be seen beside a large one.
  const largest = bars.reduce((a, b) => Math.max(a, b), 1)
  return bars.map(bar => Math.sqrt(bar / largest))
}
