import fc from 'fast-check'
import { type AgentCheckpoint, AgentError, createCheckpoint, ScriptedModel, validateCheckpoint } from 'safepoint'
import { describe, expect, test } from 'vitest'

import { check } from './property.js'

const message = fc.record({
  role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const),
  content: fc.string({ unit: 'binary', maxLength: 30 }),
})
const checkpoint = fc
  .tuple(fc.array(message, { minLength: 1, maxLength: 6 }), fc.string({ unit: 'binary' }), fc.nat())
  .map(([messages, task, responseIndex]) => {
    const snapshot = { ...new ScriptedModel([]).saveCheckpoint(messages), responseIndex }
    return createCheckpoint(`task ${task}`, messages, snapshot)
  })

/** Passes, or says in an `AgentError` what is wrong. */
function isAccepted(value: unknown): boolean {
  try {
    validateCheckpoint(value)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(AgentError)
    expect((error as AgentError).code).toBe('invalid_checkpoint')
    return false
  }
}

type Path = readonly (string | number)[]

/** The path to every object, array and leaf in a value. */
function listPaths(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries = Object.entries(value)
  return [path, ...entries.flatMap(([key, item]) => listPaths(item, [...path, key]))]
}

function change(value: unknown, path: Path, replace: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return replace(value)
  const copy: Record<string | number, unknown> = (Array.isArray(value) ? [...value] : { ...(value as object) }) as never
  copy[key] = change(copy[key], rest, replace)
  return copy
}

describe('validateCheckpoint', () => {
  test('takes any value at all: it passes or throws an AgentError, and changes nothing', async () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withNullPrototype: true,
      withBoxedValues: true,
      withObjectString: true,
    })
    const property = fc.property(anything, value => {
      const before = fc.stringify(value)
      expect(isAccepted(value)).toBe(false)
      expect(fc.stringify(value)).toBe(before)
    })
    await check(property, 20)
  })

  test('passes what createCheckpoint made, copied through JSON too, and changes nothing', async () => {
    const property = fc.property(checkpoint, valid => {
      const carried: unknown = JSON.parse(JSON.stringify(valid))
      expect([isAccepted(valid), isAccepted(carried)]).toEqual([true, true])
      expect(carried).toEqual(valid)
    })
    await check(property, 5)
  })

  test('refuses a checkpoint in which one field is replaced by anything else', async () => {
    const property = fc.property(checkpoint, fc.nat(), fc.jsonValue(), (valid, at, replacement) => {
      const paths = listPaths(valid)
      const path = paths[at % paths.length] as Path
      const mutated = change(valid, path, () => replacement)
      fc.pre(JSON.stringify(mutated) !== JSON.stringify(valid))
      expect(isAccepted(mutated)).toBe(false)
    })
    await check(property, 20)
  })

  test('refuses a checkpoint with one field less, at every place', async () => {
    const property = fc.property(checkpoint, valid => {
      for (const path of listPaths(valid).filter(each => each.length > 0)) {
        const key = path.at(-1) as string
        const without = change(valid, path.slice(0, -1), holder => {
          if (Array.isArray(holder)) return holder.filter((_, index) => index !== Number(key))
          return Object.fromEntries(Object.entries(holder as object).filter(([name]) => name !== key))
        })
        expect([path, isAccepted(without)]).toEqual([path, false])
      }
    })
    await check(property)
  })

  test('refuses a checkpoint with one field more, at every place', async () => {
    const property = fc.property(checkpoint, fc.string(), fc.jsonValue(), (valid, name, extra) => {
      const paths = listPaths(valid).filter(path => typeof read(valid, path) === 'object')
      for (const path of paths) {
        const more = change(valid, path, holder =>
          Array.isArray(holder) ? [...holder, extra] : { ...(holder as object), [`x${name}`]: extra },
        )
        expect([path, isAccepted(more)]).toEqual([path, false])
      }
    })
    await check(property)
  })

  test('refuses the content of one checkpoint under the id of another', async () => {
    const property = fc.property(checkpoint, checkpoint, (one, other) => {
      fc.pre(one.checkpointId !== other.checkpointId)
      expect(isAccepted({ ...one, checkpointId: other.checkpointId } satisfies AgentCheckpoint)).toBe(false)
    })
    await check(property, 5)
  })
})

function read(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((holder, key) => (holder as Record<string | number, unknown>)[key], value)
}
