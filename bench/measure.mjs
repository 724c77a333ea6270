/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * The median time in milliseconds of two pieces of work that take turns, so that a drift of the machine meets both.
 *
 * @param {number} rounds
 * @param {() => unknown} work
 * @param {() => unknown} floor
 */
export async function compare(rounds, work, floor) {
  const times = { work: [], floor: [] }
  await work()
  await floor()
  for (let round = 0; round < rounds; round += 1) {
    times.work.push(await time(work))
    times.floor.push(await time(floor))
  }
  return { work: median(times.work), floor: median(times.floor) }
}

/** @param {() => unknown} work */
async function time(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}
