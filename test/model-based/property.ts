import fc from 'fast-check'

/** How many samples a property is tried on: raised by `npm run test:long`, and by whoever sets it. */
const RUNS = Number(process.env.SAFEPOINT_PROPERTY_RUNS ?? 100)

/** Where the samples come from: a new place each time, and the same one again with `SAFEPOINT_PROPERTY_SEED`. */
const SEED = Number(process.env.SAFEPOINT_PROPERTY_SEED ?? Date.now() % 2 ** 31)

process.stdout.write(`properties: ${RUNS} samples each, SAFEPOINT_PROPERTY_SEED=${SEED}\n`)

/** Tries a property; the smallest sample that breaks it is in the error. `share` of the samples for slow ones. */
export function check<T>(property: fc.IAsyncProperty<T> | fc.IProperty<T>, share = 1): Promise<void> {
  const numRuns = Math.max(1, Math.round(RUNS * share))
  return Promise.resolve(fc.assert(property as fc.IAsyncProperty<T>, { seed: SEED, numRuns }))
}
