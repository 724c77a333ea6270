import { runInNewContext } from 'node:vm'
import {
  AgentError,
  createCheckpoint,
  createModelCheckpoint,
  type Message,
  type ModelCheckpoint,
  validateCheckpoint,
} from 'safepoint'
import { describe, expect, it } from 'vitest'
import { copyCheckpoint } from '../../src/checkpoint/agent-checkpoint.js'
import {
  type CheckpointDocument,
  createDocument,
  createSample,
  MESSAGES,
  SNAPSHOT,
  TASK,
} from '../helpers/checkpoints.js'
import { catchThrown, createRevokedProxy, createThrowingProxy, findUnfrozen } from '../helpers/values.js'

/** Every place of a document where an object or an array stands, and how to put another value there. */
const PLACES: Readonly<Record<string, (value: unknown) => unknown>> = {
  'the whole': value => value,
  messages: value => ({ ...createDocument(), messages: value }),
  'one message': value => ({ ...createDocument(), messages: [['user', 'a'], value, ['user', 'b'], ['user', 'c']] }),
  model: value => ({ ...createDocument(), model: value }),
  'the token ids': value => ({ ...createDocument(), model: { ...SNAPSHOT, cachedTokenIds: value } }),
  'the layer offsets': value => ({ ...createDocument(), model: { ...SNAPSHOT, layerOffsets: value } }),
}
const places = Object.entries(PLACES)

function validate(value: unknown): void {
  validateCheckpoint(value)
}

/** The error with which a value is refused as a checkpoint. */
function refusal(value: unknown): AgentError {
  const thrown = catchThrown(() => {
    validate(value)
  })
  expect(thrown instanceof AgentError).toBe(true)
  const error = thrown as AgentError
  expect(error.code).toBe('invalid_checkpoint')
  return error
}

/** A document that tells what is done to it: `get messages.0.1`, once for each time. */
function watch<T extends object>(value: T, log: string[], path = ''): T {
  const traps = Object.getOwnPropertyNames(Reflect).map(name => {
    const trap = (target: object, ...rest: unknown[]): unknown => {
      const key = name === 'get' ? `${path}${String(rest[0])}` : path
      log.push(`${name} ${key}`)
      const result: unknown = Reflect.apply(Reflect[name as 'get'] as (...all: unknown[]) => unknown, Reflect, [
        target,
        ...rest,
      ])
      return name === 'get' && typeof result === 'object' && result !== null ? watch(result, log, `${key}.`) : result
    }
    return [name, trap]
  })
  return new Proxy(value, Object.fromEntries(traps))
}

/** An object that gives `first` values the first time a property is read, and `then` ones from then on. */
function createShapeshifter(first: object, then: object): object {
  const asked = new Set<PropertyKey>()
  return new Proxy(first, {
    get: (target, key) => {
      const source = asked.has(key) ? then : target
      asked.add(key)
      return Reflect.get(source, key) as unknown
    },
  })
}

describe('a hostile value', () => {
  it.each(places)('that is a revoked proxy is refused as %s', (_name, put) => {
    const error = refusal(put(createRevokedProxy()))
    expect(error.message).toContain('cannot be read')
    expect(error.cause).toBeInstanceOf(TypeError)
  })

  it.each(places)('that throws at everything is refused as %s, with what it throws as cause', (name, put) => {
    const thrown = [new Error('trap'), undefined, null, 'text', Symbol('trap'), createRevokedProxy()]
    for (const cause of [...thrown, new AgentError('io_failed', 'another code')]) {
      const target = Array.isArray(readPlace(name)) ? [] : {}
      const error = refusal(put(createThrowingProxy(target, cause)))
      expect(Object.hasOwn(error, 'cause') && Object.is(error.cause, cause)).toBe(true)
    }
  })

  it.each(places)('with a getter that throws is refused as %s', (name, put) => {
    const cause = new Error('getter')
    const fail = {
      get: () => {
        throw cause
      },
      enumerable: true,
      configurable: true,
    }
    const original = readPlace(name)
    const keys = Object.keys(original)
    expect(keys.length).toBeGreaterThan(1)
    for (const key of keys) {
      expect(Object.is(refusal(put(Object.defineProperty(readPlace(name), key, fail))).cause, cause)).toBe(true)
    }
  })

  it.each(places)('of 2**32-1 holes is refused at once as %s', (_name, put) => {
    const value = put(new Array(2 ** 32 - 1))
    const started = performance.now()
    refusal(value)
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it.each(places)('of 100,000 levels is refused as %s', (_name, put) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      refusal(put(JSON.parse(`${open.repeat(100_000)}1${close.repeat(100_000)}`)))
    }
  })

  it.each(places)('of any odd kind is refused as %s', (_name, put) => {
    const odd = [undefined, null, 0, -0, Number.NaN, 1n, '', 'text', true, Symbol('odd'), () => 1, class {}]
    const objects = [
      new Date(0),
      new Map(),
      new Set(),
      new Error('odd'),
      /odd/,
      new Uint8Array(4),
      Object(1n),
      Object('a'),
    ]
    const empty = [
      Object.create(null),
      new Proxy({}, {}),
      new Proxy([], {}),
      Promise.resolve(),
      globalThis,
      new WeakMap(),
    ]
    for (const value of [...odd, ...objects, ...empty]) refusal(put(value))
  })

  it('that holds itself is refused', () => {
    for (const field of ['messages', 'model', 'task', 'checkpointId']) {
      const circle = createDocument()
      circle[field] = circle
      refusal(circle)
    }
    const list: unknown[] = []
    list.push(list, list)
    for (const [, put] of places) refusal(put(list))
  })

  it('that answers with numbers in a box, or with bigints, is refused', () => {
    for (const number of [new Number(4), 4n, Object(4n), { valueOf: () => 4 }, [4], '4']) {
      refusal({ ...createDocument(), model: { ...SNAPSHOT, conversationPosition: number } })
    }
  })
})

describe('an array', () => {
  const lists = ['messages', 'one message', 'the token ids', 'the layer offsets']

  it.each(lists)('with a hole is refused as %s', name => {
    const put = placeOf(name)
    const original = readPlace(name) as unknown[]
    for (const index of original.keys()) {
      const holed = [...original]
      Reflect.deleteProperty(holed, index)
      expect(refusal(put(holed)).message).toContain('without holes')
    }
    const longer = [...original]
    longer.length += 1
    refusal(put(longer))
  })

  it.each(lists)('with further properties is refused as %s', name => {
    for (const key of ['more', '-1', '01', '1.5', '4294967295', Symbol('more'), Symbol.iterator, 'toJSON', 'map']) {
      for (const enumerable of [true, false]) {
        const value = Object.defineProperty([...(readPlace(name) as unknown[])], key, { value: 1, enumerable })
        expect(refusal(placeOf(name)(value)).message).toContain('without holes')
      }
    }
  })

  it.each(lists)('of a class of its own is read as the plain array that it is, as %s', name => {
    class Hostile<T> extends Array<T> {
      override map(): never {
        throw new Error('map was called')
      }
      override [Symbol.iterator](): never {
        throw new Error('the array was iterated')
      }
      static override get [Symbol.species](): never {
        throw new Error('the species was asked for')
      }
    }
    const original = readPlace(name) as unknown[]
    const hostile = new Hostile(original.length)
    for (const [index, item] of original.entries()) hostile[index] = item
    const value = withPlace(name, hostile)
    validate(value)
    expect(copyCheckpoint(value)).toStrictEqual(createSample())
  })

  it.each(lists)('that lies about its length is refused as %s', name => {
    const original = readPlace(name) as unknown[]
    for (const length of [
      0,
      1,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 53,
      Number.POSITIVE_INFINITY,
      Number.NaN,
      -1,
      '2',
      null,
      2n,
    ]) {
      const liar = new Proxy(original, {
        get: (target, key) => (key === 'length' ? length : (Reflect.get(target, key) as unknown)),
      })
      refusal(withPlace(name, liar))
    }
  })

  it.each(lists)('whose length changes each time it is looked at is refused as %s', name => {
    const original = readPlace(name) as unknown[]
    let looks = 0
    const length = {
      valueOf: () => {
        looks += 1
        if (looks > 1000) throw new Error('the length was looked at without an end')
        return looks === 1 ? original.length : Number.POSITIVE_INFINITY
      },
    }
    const liar = new Proxy(original, {
      get: (target, key) => (key === 'length' ? length : ((Reflect.get(target, key) ?? target[0]) as unknown)),
    })
    refusal(withPlace(name, liar))
    expect(looks).toBe(0)
  })

  it.each(lists)('that hides its keys, or has too many, is refused as %s', name => {
    const original = readPlace(name) as unknown[]
    for (const keys of [['length'], ['length', ...Object.keys(original), 'more']]) {
      refusal(withPlace(name, new Proxy(original, { ownKeys: () => keys })))
    }
  })
})

describe('each property is read once', () => {
  it('by validateCheckpoint, and nothing else is done to a value', () => {
    const log: string[] = []
    const document = createDocument()
    validate(watch(document, log))
    const reads = log.filter(entry => entry.startsWith('get '))
    expect(new Set(reads).size).toBe(reads.length)
    expect(new Set(reads)).toEqual(new Set(['get checkpointId', ...listReads(document)]))
    expect(new Set(log.map(entry => entry.split(' ')[0]))).toEqual(new Set(['get', 'ownKeys']))
  })

  it('by createCheckpoint', () => {
    const log: string[] = []
    createCheckpoint(TASK, watch([...MESSAGES], log, 'messages.'), watch({ ...SNAPSHOT }, log, 'model.'))
    const reads = log.filter(entry => entry.startsWith('get '))
    expect(reads.length).toBeGreaterThan(10)
    expect(new Set(reads).size).toBe(reads.length)
  })

  it('so that a second answer is never seen', () => {
    const document = createDocument()
    const garbage = { checkpointId: 1, task: '', messages: null, model: undefined }
    validate(createShapeshifter(document, garbage))
    const model = createShapeshifter(document.model as object, { conversationPosition: -1 })
    validate({ ...document, model })
    validate({ ...document, messages: createShapeshifter(document.messages as object, []) })
    refusal(createShapeshifter({ ...document, task: 'another' }, document))
    refusal(createShapeshifter({ ...document, messages: [] }, document))
  })

  it('so that getters are asked once', () => {
    let asked = 0
    const document = Object.defineProperty(createDocument(), 'task', {
      get: () => {
        asked += 1
        return asked === 1 ? TASK : ' '
      },
    })
    validate(document)
    expect(asked).toBe(1)
  })

  it('so that a new snapshot or checkpoint is of the first answers', () => {
    const snapshot = createShapeshifter({ ...SNAPSHOT }, { conversationPosition: 9, cachedTokenIds: [1] })
    expect(createModelCheckpoint(snapshot as ModelCheckpoint)).toStrictEqual(SNAPSHOT)
    const messages = MESSAGES.map(
      message => createShapeshifter({ ...message }, { role: 'tool', content: 1 }) as Message,
    )
    const list = createShapeshifter(messages, [null]) as Message[]
    expect(createCheckpoint(TASK, list, SNAPSHOT)).toStrictEqual(createSample())
  })
})

describe('what is given to createCheckpoint or createModelCheckpoint', () => {
  it('may be hostile, too', () => {
    const cause = new Error('trap')
    for (const value of [
      createRevokedProxy(),
      createThrowingProxy([], cause),
      [createRevokedProxy()],
      new Array(2 ** 32 - 1),
    ]) {
      const messages = value as Message[]
      const create = () => createCheckpoint(TASK, messages, SNAPSHOT)
      expect(catchThrown(create)).toMatchObject({ name: 'AgentError', code: 'invalid_message' })
    }
    for (const value of [createRevokedProxy(), createThrowingProxy({}, cause), new Array(2 ** 32 - 1)]) {
      const model = value as ModelCheckpoint
      for (const create of [() => createModelCheckpoint(model), () => createCheckpoint(TASK, MESSAGES, model)]) {
        expect(catchThrown(create)).toMatchObject({ name: 'AgentError', code: 'invalid_model_checkpoint' })
      }
    }
  })
})

describe('copyCheckpoint', () => {
  it('is a frozen copy that no longer asks its source', () => {
    const document = createDocument()
    const copy = copyCheckpoint(document)
    document.task = 'another'
    ;(document.messages as unknown[]).length = 0
    expect(copy).toStrictEqual(createSample())
    expect(findUnfrozen(copy)).toEqual([])
  })

  it('reads a document of another realm', () => {
    const value: unknown = runInNewContext(`JSON.parse(${JSON.stringify(JSON.stringify(createSample()))})`)
    expect(value instanceof Object).toBe(false)
    validate(value)
    expect(copyCheckpoint(value)).toStrictEqual(createSample())
  })

  it('reads a document without prototypes, or of a class', () => {
    validate(Object.assign(Object.create(null), createDocument()))
    validate(Object.assign(new (class Document {})(), createDocument()))
  })
})

function placeOf(name: string): (value: unknown) => unknown {
  const put = PLACES[name]
  if (put === undefined) throw new Error(`no place ${name}`)
  return put
}

/** What stands at a place of a valid document. */
function readPlace(name: string): object {
  const document = createDocument()
  const model = document.model as { cachedTokenIds: object; layerOffsets: object }
  const values: Readonly<Record<string, unknown>> = {
    'the whole': document,
    messages: document.messages,
    'one message': (document.messages as unknown[])[1],
    model,
    'the token ids': model.cachedTokenIds,
    'the layer offsets': model.layerOffsets,
  }
  return values[name] as object
}

/** A document that is valid but for the value at a place. */
function withPlace(name: string, value: unknown): CheckpointDocument {
  const document = createDocument()
  const model = document.model as Record<string, unknown>
  if (name === 'messages') document.messages = value
  else if (name === 'one message') (document.messages as unknown[])[1] = value
  else if (name === 'the token ids') model.cachedTokenIds = value
  else model.layerOffsets = value
  return document
}

/** Every read that a document needs: each field once, of arrays the length and each item. */
function listReads(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const keys = Array.isArray(value) ? ['length', ...value.keys()] : Object.keys(value)
  return keys.flatMap(key => [
    `get ${path}${key}`,
    ...(key === 'length' ? [] : listReads((value as Record<string, unknown>)[key], `${path}${key}.`)),
  ])
}
